// Products with a weight that is packed once and used many times:
//
//   out[m, n] ← f(scale · Σ_k x[m, k] w[n, k] + bias[n])
//
// Inputs and outputs are f32. bf16 rounds both operands to bf16 and sums in f32. int8 gives every
// row of w and of x its own scale, q = ⌊x / s + ½⌋ with s = max |x| / 127, and sums whole numbers
// exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/device/view.h"

namespace heed {

/// The precision of products with a weight.
enum class Precision : uint8_t { f32, bf16, int8 };

/// Brings a weight into the form that its backend multiplies fastest, or says how much memory that
/// form needs.
struct PackStep {
  static constexpr const char* name = "pack";
  View weight;  // f32 [N, K], any strides
  Precision precision = Precision::f32;
  View packed = {};         // u8 [bytes], dense, written; without data: nothing is packed
  size_t* bytes = nullptr;  // where given, written: what `packed` must hold
};

/// f of a packed product.
enum class AfterProduct : uint8_t { nothing, relu, gelu, silu, tanh, sigmoid, relu6 };

struct PackedProduct {
  static constexpr const char* name = "multiply_packed";
  View out;     // f32 [M, N]
  View x;       // f32 [M, K], any strides
  View packed;  // as PackStep left it
  double scale = 1;
  View bias = {};  // f32 [N], dense, or without data
  AfterProduct after = AfterProduct::nothing;
  bool adds = false;  // to what lies in out
};

/// Several products in one call, such as those of the same rows. None reads what another writes.
struct PackedProducts {
  static constexpr const char* name = "multiply_each_packed";
  std::span<const PackedProduct> products;
};

}  // namespace heed
