# Warnings, sanitizers and coverage, for every target of the project.
add_library(deadheat_options INTERFACE)
target_compile_options(deadheat_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-qual)
if(DEADHEAT_WERROR)
  target_compile_options(deadheat_options INTERFACE -Werror)
endif()
# It reads what strangers made. The paths of the machine that built it are not in it, so that two builds are the same.
if(DEADHEAT_HARDEN)
  target_compile_options(deadheat_options INTERFACE -fPIE -fstack-protector-strong -fstack-clash-protection
    -fcf-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
  target_link_options(deadheat_options INTERFACE -pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(DEADHEAT_SANITIZE)
  set(flags -fsanitize=${DEADHEAT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(deadheat_options INTERFACE ${flags})
  target_link_options(deadheat_options INTERFACE ${flags})
endif()
if(DEADHEAT_COVERAGE)
  target_compile_options(deadheat_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(deadheat_options INTERFACE -fprofile-instr-generate)
endif()
target_include_directories(deadheat_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

# Objects are taken from a cache where there is one.
find_program(DEADHEAT_CCACHE ccache)
if(DEADHEAT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DEADHEAT_CCACHE})
endif()

# Headers of others, read once and not in every file. Off in the builds of gcc, so that a missing include is found; and
# gcc gains little by it.
option(DEADHEAT_PRECOMPILE "precompile headers of libraries" OFF)
function(deadheat_precompile target kind)
  if(NOT DEADHEAT_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET deadheat_precompiled_${kind})
    find_package(fmt REQUIRED)
    set(empty ${PROJECT_BINARY_DIR}/precompiled_${kind}.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(deadheat_precompiled_${kind} OBJECT ${empty})
    target_link_libraries(deadheat_precompiled_${kind} PRIVATE deadheat_options fmt::fmt)
    target_precompile_headers(deadheat_precompiled_${kind} PRIVATE <algorithm> <functional> <map> <memory> <string>
      <unordered_map> <vector> <fmt/format.h>)
    if("${kind}" STREQUAL "folders")
      deadheat_guide_fuzzers(deadheat_precompiled_folders)
    else()
      target_link_libraries(deadheat_precompiled_${kind} PRIVATE deadheat_testing GTest::gmock rapidcheck)
      target_compile_options(deadheat_precompiled_${kind} PRIVATE ${DEADHEAT_OPTIONS_OF_${kind}})
      target_precompile_headers(deadheat_precompiled_${kind} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM deadheat_precompiled_${kind})
endfunction()

# What the fuzzers are to find their way in; not the tests.
function(deadheat_guide_fuzzers target)
  if(DEADHEAT_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Files of a library or test program that are compiled as one, some at a time: headers are read, and templates compiled,
# once for all of them. `scripts/lint alone` checks that each file has its own includes. To change and try one file
# often: -DDEADHEAT_TOGETHER=OFF.
option(DEADHEAT_TOGETHER "compile files of a folder together" ON)
function(deadheat_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DEADHEAT_TOGETHER} UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Tests are compiled more often than run: the templates of rapidcheck take twice as long at -O2 -g as at -O1, and with
# sanitizers twice as long at -O1 as not optimised. What searches is run for longer than that.
set(DEADHEAT_OPTIONS_OF_searches -O1 -g1)
set(DEADHEAT_OPTIONS_OF_tests -O1 -g1)
if(DEADHEAT_SANITIZE)
  set(DEADHEAT_OPTIONS_OF_tests -O0 -g1)
endif()
function(deadheat_compile_test program kind)
  target_compile_options(${program} PRIVATE ${DEADHEAT_OPTIONS_OF_${kind}})
  deadheat_precompile(${program} ${kind})
  deadheat_together(${program})
endfunction()
