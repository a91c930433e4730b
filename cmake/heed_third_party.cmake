# third_NAME: one interface target for each library of others; apt installs them all (tools/packages.txt).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)

foreach(name fmt nlohmann zlib hwy blis utf8proc cli11 toml)
  add_library(third_${name} INTERFACE)
endforeach()
target_link_libraries(third_fmt INTERFACE fmt::fmt Threads::Threads)
target_link_libraries(third_nlohmann INTERFACE nlohmann_json::nlohmann_json)
target_link_libraries(third_zlib INTERFACE ZLIB::ZLIB)

# The serial BLIS: `-lblis` may resolve to the OpenMP build, so the static archive is named by its folder.
find_library(HWY_LIBRARY hwy REQUIRED)
find_path(BLIS_INCLUDE_DIR blis.h PATH_SUFFIXES blis-serial REQUIRED)
find_library(BLIS_LIBRARY NAMES blis-serial/libblis.a libblis.a REQUIRED)
target_link_libraries(third_hwy INTERFACE ${HWY_LIBRARY})
target_include_directories(third_blis SYSTEM INTERFACE ${BLIS_INCLUDE_DIR})
target_link_libraries(third_blis INTERFACE ${BLIS_LIBRARY} m)

find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
target_link_libraries(third_utf8proc INTERFACE ${UTF8PROC_LIBRARY})
