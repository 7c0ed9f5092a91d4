# One folder is one library: deadheat_folder(trace DEPS base model LINKS xxhash) makes target deadheat_trace of
# src/trace/**.cpp, and with tests on one test program of src/trace/**_test.cpp.
# The DEPS in src/CMakeLists.txt are the arrows of dependency; scripts/lint-includes reads them from there.
function(deadheat_folder name)
  cmake_parse_arguments(arg "" "" "DEPS;LINKS" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  set(links ${arg_LINKS})
  foreach(dep IN LISTS arg_DEPS)
    list(APPEND links deadheat_${dep})
  endforeach()
  add_library(deadheat_${name} STATIC ${sources})
  target_link_libraries(deadheat_${name} PUBLIC deadheat_options ${links})
  if(DEADHEAT_TESTS AND tests)
    find_package(GTest REQUIRED)
    add_executable(deadheat_${name}_test ${tests})
    target_link_libraries(deadheat_${name}_test PRIVATE deadheat_${name} deadheat_testing GTest::gtest_main GTest::gmock rapidcheck)
    # Tests are compiled more often than run: the templates of rapidcheck take twice as long at -O2 -g.
    target_compile_options(deadheat_${name}_test PRIVATE -O1 -g1)
    add_test(NAME ${name} COMMAND deadheat_${name}_test)
    # The same cases in every run; a longer hunt: RC_PARAMS="max_success=100000" build/dev/src/deadheat_..._test
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=20090615")
  endif()
endfunction()
