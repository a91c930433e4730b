# `cmake --install`: the program, one library, its headers, and how CMake (heedConfig.cmake) and pkg-config (heed.pc) find it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(HEED_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
set_target_properties(heed_library PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS heed_library EXPORT heed ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT heed NAMESPACE heed:: FILE heedTargets.cmake DESTINATION ${HEED_CMAKE_DIR})
if(TARGET heed)
  install(TARGETS heed RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY heed/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heed FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/recipes)
  install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/heed)
endif()

configure_package_config_file(cmake/heedConfig.cmake.in ${CMAKE_BINARY_DIR}/heedConfig.cmake INSTALL_DESTINATION ${HEED_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heedConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/heed.pc.in ${CMAKE_BINARY_DIR}/heed.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/heedConfig.cmake ${CMAKE_BINARY_DIR}/heedConfigVersion.cmake cmake/heed_third_party.cmake
  DESTINATION ${HEED_CMAKE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/heed.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
