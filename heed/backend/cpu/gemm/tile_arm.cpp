// Tiles of 8 × 12 for Arm: fmla (f32), sdot and smmla (int8), bfmmla (bf16), each chosen where the
// CPU has it.
//
// Tiles of eight rows are in assembly, because GCC 12 spills the sums of 8 × 12 written as
// intrinsics, which halves their speed. With one to four rows it has enough registers. A lane of a
// sliver is one group of k of one row; the matrix instructions (…mmla) take two rows and two
// columns at a time, with 8 bytes of k each.
#include "heed/backend/cpu/gemm/tile.h"

#if defined(__aarch64__)

#include <asm/hwcap.h>
#include <sys/auxv.h>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/lanes.h"
#include "heed/device/half.h"

namespace heed::cpu {
namespace {

constexpr int64_t columns = 12;
constexpr int64_t vectors = columns / lane_count;

/// The counters and pointers of a tile in assembly. Sums start from out, or from zeros with stride
/// 0.
struct Registers {
  static constexpr std::array<float, columns> zeros{};

  explicit Registers(const Tile& tile, int64_t depth = 1)
      : a(tile.a),
        b(tile.b),
        groups(tile.k / depth),
        start(tile.adds ? tile.out : zeros.data()),
        start_row(tile.adds ? 4 * tile.out_row : 0),
        out(tile.out),
        out_row(4 * tile.out_row) {}

  const void* a;
  const void* b;
  int64_t groups;
  const void* start;
  int64_t start_row;
  void* out;
  int64_t out_row;
};

void fmla_8(const Tile& tile) {
  Registers at(tile);
  asm volatile(
      "ldp q8, q9, [%[start]]; ldr q10, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q11, q12, [%[start]]; ldr q13, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q14, q15, [%[start]]; ldr q16, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q17, q18, [%[start]]; ldr q19, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q20, q21, [%[start]]; ldr q22, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q23, q24, [%[start]]; ldr q25, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q26, q27, [%[start]]; ldr q28, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q29, q30, [%[start]]; ldr q31, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "1: ldp q0, q1, [%[a]], #32; ldp q2, q3, [%[b]]; ldr q4, [%[b], #32]; add %[b], %[b], #48\n"
      "fmla v8.4s, v2.4s, v0.s[0]; fmla v11.4s, v2.4s, v0.s[1]\n"
      "fmla v14.4s, v2.4s, v0.s[2]; fmla v17.4s, v2.4s, v0.s[3]\n"
      "fmla v20.4s, v2.4s, v1.s[0]; fmla v23.4s, v2.4s, v1.s[1]\n"
      "fmla v26.4s, v2.4s, v1.s[2]; fmla v29.4s, v2.4s, v1.s[3]\n"
      "fmla v9.4s, v3.4s, v0.s[0]; fmla v12.4s, v3.4s, v0.s[1]\n"
      "fmla v15.4s, v3.4s, v0.s[2]; fmla v18.4s, v3.4s, v0.s[3]\n"
      "fmla v21.4s, v3.4s, v1.s[0]; fmla v24.4s, v3.4s, v1.s[1]\n"
      "fmla v27.4s, v3.4s, v1.s[2]; fmla v30.4s, v3.4s, v1.s[3]\n"
      "fmla v10.4s, v4.4s, v0.s[0]; fmla v13.4s, v4.4s, v0.s[1]\n"
      "fmla v16.4s, v4.4s, v0.s[2]; fmla v19.4s, v4.4s, v0.s[3]\n"
      "fmla v22.4s, v4.4s, v1.s[0]; fmla v25.4s, v4.4s, v1.s[1]\n"
      "fmla v28.4s, v4.4s, v1.s[2]; fmla v31.4s, v4.4s, v1.s[3]\n"
      "subs %[groups], %[groups], #1; b.ne 1b\n"
      "stp q8, q9, [%[out]]; str q10, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q11, q12, [%[out]]; str q13, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q14, q15, [%[out]]; str q16, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q17, q18, [%[out]]; str q19, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q20, q21, [%[out]]; str q22, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q23, q24, [%[out]]; str q25, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q26, q27, [%[out]]; str q28, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q29, q30, [%[out]]; str q31, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      : [a] "+r"(at.a), [b] "+r"(at.b), [groups] "+r"(at.groups), [start] "+r"(at.start),
        [out] "+r"(at.out)
      : [start_row] "r"(at.start_row), [out_row] "r"(at.out_row)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

void sdot_8(const Tile& tile) {
  Registers at(tile, 4);
  asm volatile(
      ".arch armv8.2-a+dotprod\n"
      "ldp q8, q9, [%[start]]; ldr q10, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q11, q12, [%[start]]; ldr q13, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q14, q15, [%[start]]; ldr q16, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q17, q18, [%[start]]; ldr q19, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q20, q21, [%[start]]; ldr q22, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q23, q24, [%[start]]; ldr q25, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q26, q27, [%[start]]; ldr q28, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "ldp q29, q30, [%[start]]; ldr q31, [%[start], #32]; add %[start], %[start], %[start_row]\n"
      "1: ldp q0, q1, [%[a]], #32; ldp q2, q3, [%[b]]; ldr q4, [%[b], #32]; add %[b], %[b], #48\n"
      "sdot v8.4s, v2.16b, v0.4b[0]; sdot v11.4s, v2.16b, v0.4b[1]\n"
      "sdot v14.4s, v2.16b, v0.4b[2]; sdot v17.4s, v2.16b, v0.4b[3]\n"
      "sdot v20.4s, v2.16b, v1.4b[0]; sdot v23.4s, v2.16b, v1.4b[1]\n"
      "sdot v26.4s, v2.16b, v1.4b[2]; sdot v29.4s, v2.16b, v1.4b[3]\n"
      "sdot v9.4s, v3.16b, v0.4b[0]; sdot v12.4s, v3.16b, v0.4b[1]\n"
      "sdot v15.4s, v3.16b, v0.4b[2]; sdot v18.4s, v3.16b, v0.4b[3]\n"
      "sdot v21.4s, v3.16b, v1.4b[0]; sdot v24.4s, v3.16b, v1.4b[1]\n"
      "sdot v27.4s, v3.16b, v1.4b[2]; sdot v30.4s, v3.16b, v1.4b[3]\n"
      "sdot v10.4s, v4.16b, v0.4b[0]; sdot v13.4s, v4.16b, v0.4b[1]\n"
      "sdot v16.4s, v4.16b, v0.4b[2]; sdot v19.4s, v4.16b, v0.4b[3]\n"
      "sdot v22.4s, v4.16b, v1.4b[0]; sdot v25.4s, v4.16b, v1.4b[1]\n"
      "sdot v28.4s, v4.16b, v1.4b[2]; sdot v31.4s, v4.16b, v1.4b[3]\n"
      "subs %[groups], %[groups], #1; b.ne 1b\n"
      "stp q8, q9, [%[out]]; str q10, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q11, q12, [%[out]]; str q13, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q14, q15, [%[out]]; str q16, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q17, q18, [%[out]]; str q19, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q20, q21, [%[out]]; str q22, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q23, q24, [%[out]]; str q25, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q26, q27, [%[out]]; str q28, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "stp q29, q30, [%[out]]; str q31, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      : [a] "+r"(at.a), [b] "+r"(at.b), [groups] "+r"(at.groups), [start] "+r"(at.start),
        [out] "+r"(at.out)
      : [start_row] "r"(at.start_row), [out_row] "r"(at.out_row)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

void bfmmla_8(const Tile& tile) {
  Registers at(tile, 4);
  asm volatile(
      ".arch armv8.2-a+bf16\n"
      "movi v8.4s, #0; movi v9.4s, #0; movi v10.4s, #0; movi v11.4s, #0\n"
      "movi v12.4s, #0; movi v13.4s, #0; movi v14.4s, #0; movi v15.4s, #0\n"
      "movi v16.4s, #0; movi v17.4s, #0; movi v18.4s, #0; movi v19.4s, #0\n"
      "movi v20.4s, #0; movi v21.4s, #0; movi v22.4s, #0; movi v23.4s, #0\n"
      "movi v24.4s, #0; movi v25.4s, #0; movi v26.4s, #0; movi v27.4s, #0\n"
      "movi v28.4s, #0; movi v29.4s, #0; movi v30.4s, #0; movi v31.4s, #0\n"
      "1: ldp q0, q1, [%[a]]; ldp q2, q3, [%[a], #32]; add %[a], %[a], #64\n"
      "ldp q4, q5, [%[b]]; ldp q6, q7, [%[b], #32]\n"
      "bfmmla v8.4s, v0.8h, v4.8h; bfmmla v9.4s, v1.8h, v4.8h\n"
      "bfmmla v10.4s, v2.8h, v4.8h; bfmmla v11.4s, v3.8h, v4.8h\n"
      "bfmmla v12.4s, v0.8h, v5.8h; bfmmla v13.4s, v1.8h, v5.8h\n"
      "bfmmla v14.4s, v2.8h, v5.8h; bfmmla v15.4s, v3.8h, v5.8h\n"
      "ldp q4, q5, [%[b], #64]; add %[b], %[b], #96\n"
      "bfmmla v16.4s, v0.8h, v6.8h; bfmmla v17.4s, v1.8h, v6.8h\n"
      "bfmmla v18.4s, v2.8h, v6.8h; bfmmla v19.4s, v3.8h, v6.8h\n"
      "bfmmla v20.4s, v0.8h, v7.8h; bfmmla v21.4s, v1.8h, v7.8h\n"
      "bfmmla v22.4s, v2.8h, v7.8h; bfmmla v23.4s, v3.8h, v7.8h\n"
      "bfmmla v24.4s, v0.8h, v4.8h; bfmmla v25.4s, v1.8h, v4.8h\n"
      "bfmmla v26.4s, v2.8h, v4.8h; bfmmla v27.4s, v3.8h, v4.8h\n"
      "bfmmla v28.4s, v0.8h, v5.8h; bfmmla v29.4s, v1.8h, v5.8h\n"
      "bfmmla v30.4s, v2.8h, v5.8h; bfmmla v31.4s, v3.8h, v5.8h\n"
      "subs %[groups], %[groups], #1; b.ne 1b\n"
      "trn1 v0.2d, v8.2d, v12.2d; trn1 v1.2d, v16.2d, v20.2d; trn1 v2.2d, v24.2d, v28.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v8.2d, v12.2d; trn2 v1.2d, v16.2d, v20.2d; trn2 v2.2d, v24.2d, v28.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v9.2d, v13.2d; trn1 v1.2d, v17.2d, v21.2d; trn1 v2.2d, v25.2d, v29.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v9.2d, v13.2d; trn2 v1.2d, v17.2d, v21.2d; trn2 v2.2d, v25.2d, v29.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v10.2d, v14.2d; trn1 v1.2d, v18.2d, v22.2d; trn1 v2.2d, v26.2d, v30.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v10.2d, v14.2d; trn2 v1.2d, v18.2d, v22.2d; trn2 v2.2d, v26.2d, v30.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v11.2d, v15.2d; trn1 v1.2d, v19.2d, v23.2d; trn1 v2.2d, v27.2d, v31.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v11.2d, v15.2d; trn2 v1.2d, v19.2d, v23.2d; trn2 v2.2d, v27.2d, v31.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      : [a] "+r"(at.a), [b] "+r"(at.b), [groups] "+r"(at.groups), [out] "+r"(at.out)
      : [out_row] "r"(at.out_row)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

void smmla_8(const Tile& tile) {
  Registers at(tile, 8);
  asm volatile(
      ".arch armv8.2-a+i8mm\n"
      "movi v8.4s, #0; movi v9.4s, #0; movi v10.4s, #0; movi v11.4s, #0\n"
      "movi v12.4s, #0; movi v13.4s, #0; movi v14.4s, #0; movi v15.4s, #0\n"
      "movi v16.4s, #0; movi v17.4s, #0; movi v18.4s, #0; movi v19.4s, #0\n"
      "movi v20.4s, #0; movi v21.4s, #0; movi v22.4s, #0; movi v23.4s, #0\n"
      "movi v24.4s, #0; movi v25.4s, #0; movi v26.4s, #0; movi v27.4s, #0\n"
      "movi v28.4s, #0; movi v29.4s, #0; movi v30.4s, #0; movi v31.4s, #0\n"
      "1: ldp q0, q1, [%[a]]; ldp q2, q3, [%[a], #32]; add %[a], %[a], #64\n"
      "ldp q4, q5, [%[b]]; ldp q6, q7, [%[b], #32]\n"
      "smmla v8.4s, v0.16b, v4.16b; smmla v9.4s, v1.16b, v4.16b\n"
      "smmla v10.4s, v2.16b, v4.16b; smmla v11.4s, v3.16b, v4.16b\n"
      "smmla v12.4s, v0.16b, v5.16b; smmla v13.4s, v1.16b, v5.16b\n"
      "smmla v14.4s, v2.16b, v5.16b; smmla v15.4s, v3.16b, v5.16b\n"
      "ldp q4, q5, [%[b], #64]; add %[b], %[b], #96\n"
      "smmla v16.4s, v0.16b, v6.16b; smmla v17.4s, v1.16b, v6.16b\n"
      "smmla v18.4s, v2.16b, v6.16b; smmla v19.4s, v3.16b, v6.16b\n"
      "smmla v20.4s, v0.16b, v7.16b; smmla v21.4s, v1.16b, v7.16b\n"
      "smmla v22.4s, v2.16b, v7.16b; smmla v23.4s, v3.16b, v7.16b\n"
      "smmla v24.4s, v0.16b, v4.16b; smmla v25.4s, v1.16b, v4.16b\n"
      "smmla v26.4s, v2.16b, v4.16b; smmla v27.4s, v3.16b, v4.16b\n"
      "smmla v28.4s, v0.16b, v5.16b; smmla v29.4s, v1.16b, v5.16b\n"
      "smmla v30.4s, v2.16b, v5.16b; smmla v31.4s, v3.16b, v5.16b\n"
      "subs %[groups], %[groups], #1; b.ne 1b\n"
      "trn1 v0.2d, v8.2d, v12.2d; trn1 v1.2d, v16.2d, v20.2d; trn1 v2.2d, v24.2d, v28.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v8.2d, v12.2d; trn2 v1.2d, v16.2d, v20.2d; trn2 v2.2d, v24.2d, v28.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v9.2d, v13.2d; trn1 v1.2d, v17.2d, v21.2d; trn1 v2.2d, v25.2d, v29.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v9.2d, v13.2d; trn2 v1.2d, v17.2d, v21.2d; trn2 v2.2d, v25.2d, v29.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v10.2d, v14.2d; trn1 v1.2d, v18.2d, v22.2d; trn1 v2.2d, v26.2d, v30.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v10.2d, v14.2d; trn2 v1.2d, v18.2d, v22.2d; trn2 v2.2d, v26.2d, v30.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn1 v0.2d, v11.2d, v15.2d; trn1 v1.2d, v19.2d, v23.2d; trn1 v2.2d, v27.2d, v31.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      "trn2 v0.2d, v11.2d, v15.2d; trn2 v1.2d, v19.2d, v23.2d; trn2 v2.2d, v27.2d, v31.2d\n"
      "stp q0, q1, [%[out]]; str q2, [%[out], #32]; add %[out], %[out], %[out_row]\n"
      : [a] "+r"(at.a), [b] "+r"(at.b), [groups] "+r"(at.groups), [out] "+r"(at.out)
      : [out_row] "r"(at.out_row)
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31", "memory", "cc");
}

using Sums = Lanes<float>;  // four sums of f32 or of whole numbers, which are only passed on

Sums load_bytes(const char* from) {
  Sums x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

struct Fmla {
  static constexpr int64_t depth = 1;
  static constexpr bool is_exact = false;
  template <int lane>
  static Sums step(Sums sum, Sums b, Sums a) {
    asm("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(sum) : "w"(b), "w"(a), "i"(lane));
    return sum;
  }
};

Sums add_whole(Sums x, Sums y) {
  asm("add %0.4s, %0.4s, %1.4s" : "+w"(x) : "w"(y));
  return x;
}

struct Sdot {
  static constexpr int64_t depth = 4;
  static constexpr bool is_exact = true;
  template <int lane>
  static Sums step(Sums sum, Sums b, Sums a) {
    asm(".arch armv8.2-a+dotprod\nsdot %0.4s, %1.16b, %2.4b[%3]"
        : "+w"(sum)
        : "w"(b), "w"(a), "i"(lane));
    return sum;
  }
};

/// Calls f(0), f(1), … with constants, so that arrays with these indices stay in registers.
template <int N, class F>
[[gnu::always_inline]] inline void unrolled(const F& f) {
  [&]<int... i>(std::integer_sequence<int, i...>) { (f(std::integral_constant<int, i>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}

/// The same for three indices, the last of which runs fastest.
template <int A, int B, int C, class F>
[[gnu::always_inline]] inline void unrolled_3(const F& f) {
  unrolled<A>(
      [&](auto a) { unrolled<B>([&](auto b) { unrolled<C>([&](auto c) { f(a, b, c); }); }); });
}

/// R rows, R = 1, 2 or 4, and P panels; a vector of the sliver holds U = 4 / R groups of k. There are
/// twelve sums at once if P = U. Sums of whole numbers are exact in any order, so each of the groups
/// has its own.
template <class Op, int R, int P>
void few_rows(const Tile& tile) {
  constexpr int U = 4 / R;
  constexpr int own = Op::is_exact ? U : 1;
  Sums sums[own][P][R][vectors] = {};
  const auto to = [&](int p, int r, int v) {
    return static_cast<float*>(tile.out) + p * tile.out_panel + r * tile.out_row + v * lane_count;
  };
  if (tile.adds) {
    unrolled_3<P, R, vectors>(
        [&](auto p, auto r, auto v) { sums[0][p][r][v] = load(to(p, r, v)); });
  }
  const auto* a = static_cast<const char*>(tile.a);
  const char* b[P];
  unrolled<P>([&](auto p) { b[p] = static_cast<const char*>(tile.b) + p * tile.b_panel; });
  for (int64_t group = 0; group < tile.k / Op::depth; group += U) {
    const Sums x = load_bytes(a);
    a += sizeof(Sums);
    unrolled_3<P, U, vectors>([&](auto p, auto u, auto v) {
      const Sums y = load_bytes(b[p] + (u * vectors + v) * sizeof(Sums));
      unrolled<R>([&](auto r) {
        Sums& sum = sums[u % own][p][r][v];
        sum = Op::template step<u * R + r>(sum, y, x);
      });
    });
    unrolled<P>([&](auto p) { b[p] += U * vectors * sizeof(Sums); });
  }
  unrolled_3<P, R, vectors>([&](auto p, auto r, auto v) {
    Sums total = sums[0][p][r][v];
    unrolled<own - 1>([&](auto u) { total = add_whole(total, sums[u + 1][p][r][v]); });
    store(to(p, r, v), total);
  });
}

struct Bfmmla {
  static constexpr int64_t depth = 4;
  static constexpr bool is_exact = false;
  static Sums step(Sums sum, Sums a, Sums b) {
    asm(".arch armv8.2-a+bf16\nbfmmla %0.4s, %1.8h, %2.8h" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
  }
};

struct Smmla {
  static constexpr int64_t depth = 8;
  static constexpr bool is_exact = true;
  static Sums step(Sums sum, Sums a, Sums b) {
    asm(".arch armv8.2-a+i8mm\nsmmla %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(b));
    return sum;
  }
};

/// R pairs of rows, R = 1 or 2, and P panels, with 6 R P sums of 2 × 2 at once. One pair of rows of
/// whole numbers has its own sums for two groups of k.
template <class Op, int R, int P>
void few_pairs(const Tile& tile) {
  constexpr int own = Op::is_exact ? 2 / R : 1;
  constexpr int pairs = columns / 2;
  Sums sums[own][P][R][pairs] = {};
  const auto* a = static_cast<const char*>(tile.a);
  const char* b[P];
  unrolled<P>([&](auto p) { b[p] = static_cast<const char*>(tile.b) + p * tile.b_panel; });
  for (int64_t group = 0; group < tile.k / Op::depth; group += own) {
    unrolled_3<own, P, pairs>([&](auto u, auto p, auto q) {
      const Sums y = load_bytes(b[p] + (u * pairs + q) * sizeof(Sums));
      unrolled<R>([&](auto r) {
        Sums& sum = sums[u][p][r][q];
        sum = Op::step(sum, load_bytes(a + (u * R + r) * sizeof(Sums)), y);
      });
    });
    unrolled<P>([&](auto p) { b[p] += own * pairs * sizeof(Sums); });
    a += own * R * sizeof(Sums);
  }
  unrolled_3<P, R, pairs>([&](auto p, auto r, auto q) {
    float* upper = static_cast<float*>(tile.out) + p * tile.out_panel + 2 * r * tile.out_row;
    Sums total = sums[0][p][r][q];
    unrolled<own - 1>([&](auto u) { total = add_whole(total, sums[u + 1][p][r][q]); });
    std::memcpy(upper + 2 * q, &total, sizeof(total) / 2);
    const Sums lower = __builtin_shufflevector(total, total, 2, 3, 2, 3);
    std::memcpy(upper + tile.out_row + 2 * q, &lower, sizeof(lower) / 2);
  });
}

constexpr SizedTile fmla_tiles[] = {
    {8, {fmla_8}},
    {4, {few_rows<Fmla, 4, 1>}},
    {2, {few_rows<Fmla, 2, 1>, few_rows<Fmla, 2, 2>, few_rows<Fmla, 2, 3>}},
    {1, {few_rows<Fmla, 1, 1>, few_rows<Fmla, 1, 2>, few_rows<Fmla, 1, 3>, few_rows<Fmla, 1, 4>}}};
constexpr SizedTile sdot_tiles[] = {{8, {sdot_8}},
                                    {4, {few_rows<Sdot, 4, 1>}},
                                    {2, {few_rows<Sdot, 2, 1>}},
                                    {1, {few_rows<Sdot, 1, 1>}}};
constexpr SizedTile bfmmla_tiles[] = {
    {8, {bfmmla_8}}, {4, {few_pairs<Bfmmla, 2, 1>}}, {2, {few_pairs<Bfmmla, 1, 1>}}};
constexpr SizedTile smmla_tiles[] = {
    {8, {smmla_8}}, {4, {few_pairs<Smmla, 2, 1>}}, {2, {few_pairs<Smmla, 1, 1>}}};

void round_by_bfcvtn(const float* from, int64_t n, uint16_t* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Sums low = load(from + i);
    const Sums high = load(from + i + 4);
    asm(".arch armv8.2-a+bf16\nbfcvtn %0.4h, %0.4s\nbfcvtn2 %0.8h, %1.4s" : "+w"(low) : "w"(high));
    std::memcpy(to + i, &low, sizeof(low));
  }
  for (; i < n; ++i) {
    to[i] = bf16_bits(from[i]);
  }
}

bool has_neon() { return true; }
bool has_sdot() { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }
bool has_bfmmla() { return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0; }
bool has_smmla() { return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0; }

using enum Element;

constexpr TileKernel kernels[] = {
    {"neon", Precision::f32, f32, f32, columns, 1, 1, 4, false, has_neon, fmla_tiles},
    {"bfmmla", Precision::bf16, bf16, bf16, columns, 4, 4, 8, false, has_bfmmla, bfmmla_tiles,
     round_by_bfcvtn},
    {"neon", Precision::bf16, bf16, f32, columns, 1, 1, 4, true, has_neon, fmla_tiles},
    {"smmla", Precision::int8, i8, i8, columns, 8, 8, 16, false, has_smmla, smmla_tiles},
    {"sdot", Precision::int8, i8, i8, columns, 4, 4, 16, false, has_sdot, sdot_tiles},
};

}  // namespace

std::span<const TileKernel> arm_kernels() { return kernels; }

}  // namespace heed::cpu

#else

namespace heed::cpu {

std::span<const TileKernel> arm_kernels() { return {}; }

}  // namespace heed::cpu

#endif
