// 8 × 8 tiles in Arm assembly. They reach about 38 of 40 GFLOP/s on a Neoverse-N1, where GCC 12's
// order of the same instructions reaches 35 (rows) and 31 (columns), because each register is
// loaded again right after its last use, a whole step before its next. The last step loads the same
// data again, so that nothing beyond the operands is read.
//
//   sums: v10…v17 the first four columns of rows 0…7, v20…v27 the other four
#pragma once

#include <cstdint>

#include "heed/backend/cpu/attend/products.h"

namespace heed::cpu {

/// Strides in bytes.
struct ArmTile {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t b_stride;
  float* c;
  int64_t c_stride;
  int64_t k;
  int64_t adds;
};

#if defined(__aarch64__)
inline constexpr bool has_assembly = true;

/// c ← a b; rows of a are dense, k is a multiple of 4 and above 0.
inline void arm_rows(ArmTile t) {
  asm volatile(
      "mov x9, %[a]\n add x10, x9, %[as]\n add x11, x10, %[as]\n add x12, x11, %[as]\n"
      "add x13, x12, %[as]\n add x14, x13, %[as]\n add x15, x14, %[as]\n add x16, x15, %[as]\n"
      "ldr q0, [x9]\n ldr q1, [x10]\n ldr q2, [x11]\n ldr q3, [x12]\n"
      "ldr q4, [x13]\n ldr q5, [x14]\n ldr q6, [x15]\n ldr q7, [x16]\n"
      "ldp q28, q29, [%[b]]\n add %[b], %[b], %[bs]\n"
      "ldp q30, q31, [%[b]]\n add %[b], %[b], %[bs]\n"
      "mov x8, #0\n mov x17, %[c]\n cbnz %[adds], 1f\n"
      ".irp r,0,1,2,3,4,5,6,7\n movi v1\\r\\().4s, #0\n movi v2\\r\\().4s, #0\n .endr\n b 2f\n"
      "1:\n .irp r,0,1,2,3,4,5,6,7\n ldp q1\\r, q2\\r, [x17]\n add x17, x17, %[cs]\n .endr\n"
      "2:\n subs %[k], %[k], #4\n add x17, x8, #16\n csel x8, x8, x17, eq\n csel x17, xzr, %[bs], "
      "eq\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v1\\r\\().4s, v28.4s, v\\r\\().s[0]\n .endr\n ldr q28, "
      "[%[b]]\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v2\\r\\().4s, v29.4s, v\\r\\().s[0]\n .endr\n"
      "ldr q29, [%[b], #16]\n add %[b], %[b], %[bs]\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v1\\r\\().4s, v30.4s, v\\r\\().s[1]\n .endr\n ldr q30, "
      "[%[b]]\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v2\\r\\().4s, v31.4s, v\\r\\().s[1]\n .endr\n"
      "ldr q31, [%[b], #16]\n add %[b], %[b], x17\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v1\\r\\().4s, v28.4s, v\\r\\().s[2]\n .endr\n ldr q28, "
      "[%[b]]\n"
      ".irp r,0,1,2,3,4,5,6,7\n fmla v2\\r\\().4s, v29.4s, v\\r\\().s[2]\n .endr\n"
      "ldr q29, [%[b], #16]\n add %[b], %[b], x17\n"
      "fmla v10.4s, v30.4s, v0.s[3]\n fmla v20.4s, v31.4s, v0.s[3]\n ldr q0, [x9, x8]\n"
      "fmla v11.4s, v30.4s, v1.s[3]\n fmla v21.4s, v31.4s, v1.s[3]\n ldr q1, [x10, x8]\n"
      "fmla v12.4s, v30.4s, v2.s[3]\n fmla v22.4s, v31.4s, v2.s[3]\n ldr q2, [x11, x8]\n"
      "fmla v13.4s, v30.4s, v3.s[3]\n fmla v23.4s, v31.4s, v3.s[3]\n ldr q3, [x12, x8]\n"
      "fmla v14.4s, v30.4s, v4.s[3]\n fmla v24.4s, v31.4s, v4.s[3]\n ldr q4, [x13, x8]\n"
      "fmla v15.4s, v30.4s, v5.s[3]\n fmla v25.4s, v31.4s, v5.s[3]\n ldr q5, [x14, x8]\n"
      "fmla v16.4s, v30.4s, v6.s[3]\n fmla v26.4s, v31.4s, v6.s[3]\n ldr q6, [x15, x8]\n"
      "fmla v17.4s, v30.4s, v7.s[3]\n fmla v27.4s, v31.4s, v7.s[3]\n ldr q7, [x16, x8]\n"
      "ldr q30, [%[b]]\n ldr q31, [%[b], #16]\n add %[b], %[b], x17\n b.ne 2b\n"
      ".irp r,0,1,2,3,4,5,6,7\n stp q1\\r, q2\\r, [%[c]]\n add %[c], %[c], %[cs]\n .endr\n"
      : [b] "+r"(t.b), [c] "+r"(t.c), [k] "+r"(t.k)
      : [a] "r"(t.a), [as] "r"(t.a_stride), [bs] "r"(t.b_stride), [cs] "r"(t.c_stride),
        [adds] "r"(t.adds)
      : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "v0", "v1", "v2", "v3",
        "v4", "v5", "v6", "v7", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc",
        "memory");
}

/// c ← aᵀ b; k is above 0.
inline void arm_columns(ArmTile t) {
  asm volatile(
      "ldp q0, q1, [%[a]]\n ldp q28, q29, [%[b]]\n mov x17, %[c]\n cbnz %[adds], 1f\n"
      ".irp r,0,1,2,3,4,5,6,7\n movi v1\\r\\().4s, #0\n movi v2\\r\\().4s, #0\n .endr\n b 2f\n"
      "1:\n .irp r,0,1,2,3,4,5,6,7\n ldp q1\\r, q2\\r, [x17]\n add x17, x17, %[cs]\n .endr\n"
      "2:\n subs %[k], %[k], #1\n csel x16, xzr, %[as], eq\n csel x17, xzr, %[bs], eq\n"
      "add %[a], %[a], x16\n add %[b], %[b], x17\n"
      ".irp r,0,1,2,3\n fmla v1\\r\\().4s, v28.4s, v0.s[\\r]\n .endr\n"
      ".irp r,0,1,2,3\n fmla v2\\r\\().4s, v29.4s, v0.s[\\r]\n .endr\n ldr q0, [%[a]]\n"
      "fmla v14.4s, v28.4s, v1.s[0]\n fmla v15.4s, v28.4s, v1.s[1]\n"
      "fmla v16.4s, v28.4s, v1.s[2]\n fmla v17.4s, v28.4s, v1.s[3]\n ldr q28, [%[b]]\n"
      "fmla v24.4s, v29.4s, v1.s[0]\n fmla v25.4s, v29.4s, v1.s[1]\n"
      "fmla v26.4s, v29.4s, v1.s[2]\n fmla v27.4s, v29.4s, v1.s[3]\n ldr q29, [%[b], #16]\n"
      "ldr q1, [%[a], #16]\n b.ne 2b\n"
      ".irp r,0,1,2,3,4,5,6,7\n stp q1\\r, q2\\r, [%[c]]\n add %[c], %[c], %[cs]\n .endr\n"
      : [a] "+r"(t.a), [b] "+r"(t.b), [c] "+r"(t.c), [k] "+r"(t.k)
      : [as] "r"(t.a_stride), [bs] "r"(t.b_stride), [cs] "r"(t.c_stride), [adds] "r"(t.adds)
      : "x16", "x17", "v0", "v1", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "cc", "memory");
}
#else
inline constexpr bool has_assembly = false;
inline void arm_rows(ArmTile /*t*/) {}
inline void arm_columns(ArmTile /*t*/) {}
#endif

}  // namespace heed::cpu
