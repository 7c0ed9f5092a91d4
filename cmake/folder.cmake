# One folder is one library: deadheat_folder(trace DEPS base model LINKS xxhash) makes target deadheat_trace of
# src/trace/**.cpp, and with tests on one test program of src/trace/**_test.cpp.
# With DEADHEAT_TOGETHER its sources are compiled some at a time. APART: files that have a name of another file too, or
# that take long by themselves; `APART *` for all.
# SEARCHES: as for deadheat_test, of the folder's tests.
# COLD: nothing in it is run per event, so it is compiled at -O1, in four fifths of the time.
# The DEPS in src/CMakeLists.txt are the arrows of dependency; scripts/lint-includes reads them from there.
function(deadheat_folder name)
  cmake_parse_arguments(arg "COLD;SEARCHES" "" "DEPS;LINKS;APART" ${ARGN})
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  set(links ${arg_LINKS})
  foreach(dep IN LISTS arg_DEPS)
    list(APPEND links deadheat_${dep})
  endforeach()
  if(sources)
    add_library(deadheat_${name} STATIC ${sources})
    target_link_libraries(deadheat_${name} PUBLIC deadheat_options ${links})
    deadheat_guide_fuzzers(deadheat_${name})
    deadheat_precompile(deadheat_${name} folders)
    if(arg_COLD)
      target_compile_options(deadheat_${name} PRIVATE -O1)
    endif()
    # clang gains nothing by it where headers are precompiled, and sees names of one file shadow those of another.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT "${arg_APART}" STREQUAL "*")
      deadheat_together(deadheat_${name})
      list(TRANSFORM arg_APART PREPEND ${dir}/)
      set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  else()
    add_library(deadheat_${name} INTERFACE)
    target_link_libraries(deadheat_${name} INTERFACE deadheat_options ${links})
  endif()
  if(DEADHEAT_TESTS AND tests)
    set(searches)
    if(arg_SEARCHES)
      set(searches SEARCHES)
    endif()
    deadheat_test(${name} ${searches} SOURCES ${tests} LINKS deadheat_${name})
  endif()
endfunction()

# A test program: deadheat_test(trace SOURCES a_test.cpp LINKS deadheat_trace) is deadheat_trace_test, and the test
# trace. PARTS: run as so many tests beside each other, each with its share of the cases. COST: some seconds, for those
# that take long; the longest begin first.
# SEARCHES: most of its time goes into its own code, not into what it tests: oracles. Such tests have the label
# `property`: `make test` runs them with a part of their traces, `make check` with all.
function(deadheat_test name)
  cmake_parse_arguments(arg "SEARCHES" "PARTS;COST" "SOURCES;LINKS" ${ARGN})
  find_package(GTest REQUIRED)
  set(program deadheat_${name}_test)
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LINKS} deadheat_testing GTest::gtest_main GTest::gmock rapidcheck)
  if(arg_SEARCHES)
    deadheat_compile_test(${program} searches)
  else()
    deadheat_compile_test(${program} tests)
  endif()
  # The same cases in every run; a longer hunt: RC_PARAMS="max_success=100000" build/dev/src/deadheat_..._test
  set(environment "RC_PARAMS=seed=20090615")
  set(label unit)
  if(arg_SEARCHES)
    set(label property)
  endif()
  if(NOT arg_PARTS)
    add_test(NAME ${name} COMMAND ${program})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" COST "${arg_COST}" LABELS ${label})
    return()
  endif()
  math(EXPR last "${arg_PARTS} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${name}-${part} COMMAND ${program})
    set_tests_properties(${name}-${part} PROPERTIES COST "${arg_COST}" LABELS ${label}
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${arg_PARTS};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
