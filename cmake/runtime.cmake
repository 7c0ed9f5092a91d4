# The runtime that is linked into recorded programs: the static archive (what `deadheat cc` links), and drop-ins for the
# shared runtimes of gcc and clang. Freestanding but for the C library, and never sanitized or measured itself: it is
# what the sanitizer calls.
file(GLOB_RECURSE runtime_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/runtime/*.cpp)
list(FILTER runtime_sources EXCLUDE REGEX "_test\\.cpp$")
set(DEADHEAT_RUNTIME_DIR ${PROJECT_BINARY_DIR}/runtime)

# No tables of exceptions or types, no calls of memcpy or strlen that the compiler makes up (they are intercepted), TLS
# that is there from the start, unwinding through the frames (cancellation).
set(runtime_options -std=c++20 -O2 -g -fPIC -mcx16 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-builtin
  -fvisibility=hidden -ftls-model=initial-exec -fno-stack-protector -fomit-frame-pointer
  -fasynchronous-unwind-tables -U_FORTIFY_SOURCE -Wall -Wextra
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND runtime_options -fno-tree-loop-distribute-patterns -fno-ipa-icf)
endif()
if(DEADHEAT_WERROR)
  list(APPEND runtime_options -Werror)
endif()

function(deadheat_runtime_target target)
  target_compile_options(${target} PRIVATE ${runtime_options})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${target} PROPERTIES
    ARCHIVE_OUTPUT_DIRECTORY ${DEADHEAT_RUNTIME_DIR} LIBRARY_OUTPUT_DIRECTORY ${DEADHEAT_RUNTIME_DIR})
endfunction()

add_library(deadheat_rt STATIC ${runtime_sources})
deadheat_runtime_target(deadheat_rt)
target_compile_definitions(deadheat_rt PRIVATE DEADHEAT_STATIC_RUNTIME)

add_library(deadheat_rt_shared OBJECT ${runtime_sources})
deadheat_runtime_target(deadheat_rt_shared)
foreach(pair "tsan_gcc|libtsan.so.2" "tsan_clang|libclang_rt.tsan-x86_64.so")
  string(REPLACE "|" ";" pair ${pair})
  list(GET pair 0 target)
  list(GET pair 1 file)
  add_library(deadheat_${target} SHARED $<TARGET_OBJECTS:deadheat_rt_shared>)
  deadheat_runtime_target(deadheat_${target})
  target_link_options(deadheat_${target} PRIVATE -nodefaultlibs -Wl,-z,defs,-z,relro,-z,now,-z,noexecstack)
  target_link_libraries(deadheat_${target} PRIVATE c gcc)
  set_target_properties(deadheat_${target} PROPERTIES PREFIX "" OUTPUT_NAME ${file} SUFFIX "" LINKER_LANGUAGE CXX)
endforeach()

# What gcc looks for by -B when it links with -static-libtsan, or without.
add_custom_command(TARGET deadheat_rt POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink libdeadheat_rt.a ${DEADHEAT_RUNTIME_DIR}/libtsan.a
  COMMAND ${CMAKE_COMMAND} -E create_symlink libtsan.so.2 ${DEADHEAT_RUNTIME_DIR}/libtsan.so)

# What a program that has the runtime in it shows to objects that are loaded later.
add_custom_command(TARGET deadheat_tsan_gcc POST_BUILD VERBATIM
  COMMAND sh -c "{ echo '{'; ${CMAKE_NM} -D --defined-only \"$1\" | awk '{ sub(/@.*/, \"\", $3); print \"  \" $3 \";\" }' | sort -u; echo '};'; } > \"$2\""
          exported $<TARGET_FILE:deadheat_tsan_gcc> ${DEADHEAT_RUNTIME_DIR}/exported.list)

# Compilers for `deadheat env`: one script under their names.
foreach(name cc c++ gcc g++ clang clang++)
  configure_file(${PROJECT_SOURCE_DIR}/src/runtime/shim.sh ${DEADHEAT_RUNTIME_DIR}/shims/${name} COPYONLY)
endforeach()

# Headers that replace some of the C++ library's.
configure_file("${PROJECT_SOURCE_DIR}/src/runtime/headers/bits/c++config.h" "${DEADHEAT_RUNTIME_DIR}/headers/bits/c++config.h"
  COPYONLY)

# Where the program looks for it, beside its own folder: not a library that others link by name.
install(FILES $<TARGET_FILE:deadheat_rt> $<TARGET_FILE:deadheat_tsan_gcc> $<TARGET_FILE:deadheat_tsan_clang>
  ${DEADHEAT_RUNTIME_DIR}/libtsan.a ${DEADHEAT_RUNTIME_DIR}/libtsan.so ${DEADHEAT_RUNTIME_DIR}/exported.list
  DESTINATION lib/deadheat)
install(DIRECTORY ${DEADHEAT_RUNTIME_DIR}/shims ${DEADHEAT_RUNTIME_DIR}/headers DESTINATION lib/deadheat
  USE_SOURCE_PERMISSIONS)
