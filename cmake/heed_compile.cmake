# What every translation unit of ours is compiled and linked with.
include(CheckPIESupported)
check_pie_supported()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -D_FORTIFY_SOURCE=2")

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
# With paths told from the project's root, so that another clone or worktree hits too; what it is sloppy about is what
# precompiled headers need, whose own contents it compares.
if(CCACHE)
  set(HEED_CCACHE env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEED_CCACHE} ${CCACHE})
endif()

# errno and traps of the maths library are never read, and keeping them would keep loops from being vectorised; of OpenMP
# only `#pragma omp simd` is used, which says that the turns of a loop do not depend on each other.
function(heed_compile_options target)
  set(flags -Wall -Wextra -Wpedantic -fno-math-errno -fno-trapping-math -fopenmp-simd -fstack-protector-strong -ffunction-sections -fdata-sections)
  if(HEED_DEVELOP)
    list(APPEND flags -Werror)
  endif()
  # GCC 12 sees overflows in strings that are not there (its bug 105651). GCC 13 moves vectors through an MMX register and never
  # empties it, after which x87, and with it long double, gives NaN.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND flags -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -mno-mmx)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
  target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:-z,relro,-z,now)
endfunction()
