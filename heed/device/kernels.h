// Slots for fused kernels: plain function pointers, null where a backend has none. An op asks for
// its slot and otherwise composes the same result from the primitives, so a backend with only the primitives
// already runs every model. What a kernel takes is described in device/kernel/, a file for each
// family.
#pragma once

#include "heed/device/view.h"

namespace heed {

struct LstmStep;
struct LstmGradient;
struct GruStep;
struct GruGradient;
struct AdamStep;
struct CrossEntropy;
struct CrossEntropyGradient;
struct RowNorm;
struct RowNormGradient;
struct DropoutStep;
struct PackStep;
struct PackedProduct;
struct AttendStep;
struct AttendGradient;

struct Kernels {
  /// y_j ← e^(x_j − m) / Σ_k e^(x_k − m) over the last axis; −∞ gives 0, and a row of −∞ gives
  /// zeros.
  void (*softmax)(const View& y, const View& x) = nullptr;
  /// dx ← y (dy − Σ_k dy_k y_k) over the last axis.
  void (*softmax_gradient)(const View& dx, const View& dy, const View& y) = nullptr;
  void (*lstm)(const LstmStep& step) = nullptr;
  void (*lstm_gradient)(const LstmGradient& gradient) = nullptr;
  void (*gru)(const GruStep& step) = nullptr;
  void (*gru_gradient)(const GruGradient& gradient) = nullptr;
  void (*adam)(const AdamStep& step) = nullptr;
  void (*cross_entropy)(const CrossEntropy& rows) = nullptr;
  void (*cross_entropy_gradient)(const CrossEntropyGradient& rows) = nullptr;
  void (*norm)(const RowNorm& rows) = nullptr;
  void (*norm_gradient)(const RowNormGradient& rows) = nullptr;
  void (*dropout)(const DropoutStep& step) = nullptr;
  void (*pack)(const PackStep& step) = nullptr;
  void (*multiply_packed)(const PackedProduct& product) = nullptr;
  void (*attend)(const AttendStep& step) = nullptr;
  void (*attend_gradient)(const AttendGradient& gradient) = nullptr;
};

}  // namespace heed
