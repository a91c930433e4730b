# heed::third_NAME: one target for each library of others; apt installs them all (tools/packages.txt). This file is also
# installed beside heedConfig.cmake, so that a program which links heed finds the same libraries by the same names.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(tomlplusplus REQUIRED)
find_library(HWY_LIBRARY hwy REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
# Debian has no static archive of SentencePiece: these two are shared libraries.
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)

foreach(name fmt nlohmann zlib hwy utf8proc sentencepiece toml)
  if(NOT TARGET heed::third_${name})
    add_library(heed::third_${name} INTERFACE IMPORTED)
  endif()
endforeach()
target_link_libraries(heed::third_fmt INTERFACE fmt::fmt Threads::Threads)
target_link_libraries(heed::third_nlohmann INTERFACE nlohmann_json::nlohmann_json)
target_link_libraries(heed::third_zlib INTERFACE ZLIB::ZLIB)
target_link_libraries(heed::third_hwy INTERFACE ${HWY_LIBRARY})
# No machine here can test SVE, and its targets would take five times the compile time. On x86-64 what every CPU is taken to have
# is SSE4.2 (2009), Highway's SSSE3: below it there is only a scalar target, which lacks what kernels need. What Highway calls SSE4
# adds only AES, for one more copy of every kernel.
set(HEED_DISABLED_TARGETS "HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  string(APPEND HEED_DISABLED_TARGETS "|HWY_SSE4")
  target_compile_options(heed::third_hwy INTERFACE -march=x86-64-v2)
endif()
target_compile_definitions(heed::third_hwy INTERFACE HWY_SHARED_DEFINE "HWY_DISABLED_TARGETS=(${HEED_DISABLED_TARGETS})")
target_link_libraries(heed::third_utf8proc INTERFACE ${UTF8PROC_LIBRARY})
target_link_libraries(heed::third_sentencepiece INTERFACE ${SENTENCEPIECE_TRAIN_LIBRARY} ${SENTENCEPIECE_LIBRARY})
target_link_libraries(heed::third_toml INTERFACE tomlplusplus::tomlplusplus)
