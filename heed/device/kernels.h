// Slots for fused kernels: plain function pointers, null where a backend has none. An op asks for
// its slot and otherwise composes the same result from the verbs, so a backend with only the verbs
// already runs every model.
//
// Views are f32 unless said; where a kernel asks for rows that lie dense, the last axis has
// stride 1.
#pragma once

#include "heed/device/view.h"

namespace heed {

/// One step of a long short-term memory, rows dense:
///   i, f, o ← σ;  g ← tanh;  c' ← f c + i g;  s ← tanh c';  h' ← o s
struct LstmStep {
  View gates;  // [B, 5·H] as i, f, g, o, s; the first four enter as sums, all leave as values
  View cell_before;  // [B, H] c
  View cell;         // [B, H] c', written
  View hidden;       // [B, H] h', written
};

/// Its gradient:  do = dh' s o (1 − o);  δ = dc' + dh' o (1 − s²);  di = δ g i (1 − i);
///   df = δ c f (1 − f);  dg = δ i (1 − g²);  dc = δ f
struct LstmSlope {
  View gates;         // [B, 5·H] as the step left them
  View cell_before;   // [B, H]
  View dhidden;       // [B, H] dh'
  View dcell;         // [B, H] dc'
  View dgates;        // [B, 4·H], written
  View dcell_before;  // [B, H] dc, written; may be dcell
};

/// One step of a gated recurrent unit, rows dense:  r, z ← σ;  n ← tanh(n + r u);  h' ← n + z (h −
/// n)
struct GruStep {
  View gates;          // [B, 4·H] as n, r, z, u; all enter as sums, u stays one
  View hidden_before;  // [B, H] h
  View hidden;         // [B, H] h', written
};

/// Its gradient:  dn = dh' (1 − z)(1 − n²);  dr = dn u r (1 − r);  du = dn r;
///   dz = dh' (h − n) z (1 − z);  dh = dh' z
struct GruSlope {
  View gates;           // [B, 4·H] as the step left them
  View hidden_before;   // [B, H]
  View dhidden;         // [B, H] dh'
  View dgates;          // [B, 4·H] as dn, dr, dz, du, written
  View dhidden_before;  // [B, H] dh, written; may be dhidden
};

/// One update of Adam on dense views of one shape:  g ← g + pull p;  p ← shrink p;  m ← β₁ m + (1 −
/// β₁) g;  v ← β₂ v + (1 − β₂) g²;  p ← p − rate m / (root √v + ε)
struct AdamStep {
  View p;
  View m;
  View v;
  View g;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double rate = 1e-3;  // η / (1 − β₁ᵗ)
  double root = 1;     // 1 / √(1 − β₂ᵗ)
  double pull = 0;     // λ of adam
  double shrink = 1;   // 1 − η λ of adamw
};

/// Losses of rows of logits x [N, V] at targets t, with label smoothing ε, rows of x dense:
///   m = max_j x_j;  total = Σ_j e^(x_j − m);
///   loss = ln total − (1 − ε)(x_t − m) − ε/V Σ_j (x_j − m);  0 where t = −1
struct CrossEntropy {
  View losses;   // [N, 1], written
  View most;     // [N, 1] m, written
  View total;    // [N, 1], written
  View logits;   // [N, V]
  View targets;  // [N, 1] i32
  double smoothing = 0;
};

/// Its gradient:  dx_j = dloss (e^(x_j − m) / total − (1 − ε)[j = t] − ε/V);  0 where t = −1
struct CrossEntropySlope {
  View dlogits;  // [N, V], written; may be the logits
  View dlosses;  // [N, 1]
  View logits;   // [N, V]
  View most;     // [N, 1]
  View total;    // [N, 1]
  View targets;  // [N, 1] i32
  double smoothing = 0;
};

struct Kernels {
  /// y_j ← e^(x_j − m) / Σ_k e^(x_k − m) over the last axis; −∞ gives 0, and a row of −∞ gives
  /// zeros.
  void (*softmax)(const View& y, const View& x) = nullptr;
  /// dx ← y (dy − Σ_k dy_k y_k) over the last axis.
  void (*softmax_slope)(const View& dx, const View& dy, const View& y) = nullptr;
  void (*lstm)(const LstmStep& step) = nullptr;
  void (*lstm_slope)(const LstmSlope& slope) = nullptr;
  void (*gru)(const GruStep& step) = nullptr;
  void (*gru_slope)(const GruSlope& slope) = nullptr;
  void (*adam)(const AdamStep& step) = nullptr;
  void (*cross_entropy)(const CrossEntropy& rows) = nullptr;
  void (*cross_entropy_slope)(const CrossEntropySlope& rows) = nullptr;
};

}  // namespace heed
