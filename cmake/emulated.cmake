# The toolchain of tools/emulate: Debian's cross compiler for the other architecture, the third-party libraries that tools/emulate
# unpacked into HEED_EMULATED_ROOT, and qemu-user to run the programs.
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL x86_64)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
else()
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEED_EMULATED_ROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(triplet ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(libraries ${HEED_EMULATED_ROOT}/usr/lib/${triplet})

set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${HEED_EMULATED_ROOT}/usr/include -isystem ${HEED_EMULATED_ROOT}/usr/include/${triplet}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath-link,${libraries}")
set(CMAKE_FIND_ROOT_PATH ${HEED_EMULATED_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# libc and libstdc++ come with the cross compiler.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR};-cpu;max;-L;/usr/${triplet};-E;LD_LIBRARY_PATH=${libraries})
