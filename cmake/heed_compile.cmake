# The compiler and linker options of all our translation units.
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
# Paths are relative to the project's root, so that other clones and worktrees share the cache. There all headers are new; ccache looks at
# their contents, not at their times.
if(CCACHE)
  set(HEED_CCACHE env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEED_CCACHE} ${CCACHE})
endif()

# errno and traps of the maths library are never read, and supporting them would prevent the vectorisation of loops. Of OpenMP only
# `#pragma omp simd` is used, which says that the iterations of a loop do not depend on each other.
#
# Warnings are errors in the presets with sanitizers and in tools/alone.py, not here: a compiler with more warnings than ours must not
# prevent anybody from building heed, and `make test` must reuse what `make build` has compiled.
function(heed_compile_options target)
  set(flags -Wall -Wextra -Wpedantic -fno-math-errno -fno-trapping-math -fopenmp-simd -fstack-protector-strong -ffunction-sections -fdata-sections)
  # GCC 12 warns of overflows in strings that do not exist (its bug 105651). GCC 13 moves vectors through an MMX register and never
  # clears it, after which x87, and with it long double, gives NaN.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND flags -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -mno-mmx)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
  target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:-z,relro,-z,now)
endfunction()

# heed_vector_options(TARGET SCOPE): the options of our sources that include Highway; users of the library do not see them.
#
# No machine here can test SVE, and its targets would take five times the compile time. On x86-64 every CPU is assumed to have SSE4.2
# (2009), Highway's SSSE3: below it there is only a scalar target, which lacks what kernels need. What Highway calls SSE4 adds only AES,
# for one more copy of every kernel. With sanitizers the copies take the most compile time, so they have only those for AVX2 and AVX-512;
# the thread sanitizer has one, AVX2 (which Highway takes for itself only with AES beside it), because races do not depend on the width
# of vectors.
function(heed_vector_options target scope)
  set(disabled "HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    string(APPEND disabled "|HWY_SSE4")
    set(level 2)
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
      set(level 3)
    endif()
    target_compile_options(${target} ${scope} -march=x86-64-v${level})
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    target_compile_definitions(${target} ${scope} HWY_COMPILE_ONLY_STATIC)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(${target} ${scope} -maes -mpclmul)
    endif()
  endif()
  target_compile_definitions(${target} ${scope} "HWY_DISABLED_TARGETS=(${disabled})")
endfunction()
