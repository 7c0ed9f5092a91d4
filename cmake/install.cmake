# What `cmake --install` puts where: the program, its manuals, and the library for other projects.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive of the folders behind include/deadheat. The folders' own targets carry warnings and paths of this tree,
# so they are not for export; what a user must link is said here once, and in cmake/deadheat.pc.in.
function(deadheat_public_library)
  set(objects)
  foreach(folder IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:deadheat_${folder}>)
  endforeach()
  add_library(libdeadheat STATIC ${objects})
  set_target_properties(libdeadheat PROPERTIES OUTPUT_NAME deadheat EXPORT_NAME deadheat LINKER_LANGUAGE CXX)
  target_compile_features(libdeadheat INTERFACE cxx_std_20)
  target_include_directories(libdeadheat INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(libdeadheat INTERFACE fmt::fmt ZLIB::ZLIB zstd xxhash)
endfunction()

deadheat_public_library(base model trace)

install(TARGETS deadheat RUNTIME)
install(TARGETS libdeadheat EXPORT deadheat ARCHIVE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/deadheat TYPE INCLUDE)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/deadheat)
install(EXPORT deadheat NAMESPACE deadheat:: FILE deadheatTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/deadheatConfig.cmake.in deadheatConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(deadheatConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/deadheatConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/deadheatConfigVersion.cmake
  DESTINATION ${config_dir})
# Filled in at install time, because only then the prefix is known.
install(CODE "
  set(version ${PROJECT_VERSION})
  set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
  set(libdir ${CMAKE_INSTALL_LIBDIR})
  set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/deadheat.pc.in
                 \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/deadheat.pc\" @ONLY)")

# The manuals, printed by the program itself.
file(GLOB verbs RELATIVE ${PROJECT_SOURCE_DIR}/src/cli CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/cmd_*.cpp)
list(TRANSFORM verbs REPLACE "cmd_(.*)\\.cpp" "\\1")
install(CODE "
  function(print_manual file)
    execute_process(COMMAND \"$<TARGET_FILE:deadheat>\" help \${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\" \"\${text}\")
    message(STATUS \"Installing: \${CMAKE_INSTALL_PREFIX}/\${file}\")
  endfunction()
  print_manual(${CMAKE_INSTALL_MANDIR}/man1/deadheat.1 --man)
  foreach(verb ${verbs})
    print_manual(${CMAKE_INSTALL_MANDIR}/man1/deadheat-\${verb}.1 --man \${verb})
  endforeach()
  print_manual(${CMAKE_INSTALL_DATADIR}/bash-completion/completions/deadheat --completion bash)")
