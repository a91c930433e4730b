// One step of a recurrent layer, or all of them. Views are f32, rows dense (the last axis has stride 1).
#pragma once

#include "heed/device/view.h"

namespace heed {

/// One step of a long short-term memory, rows dense:
///   i, f, o ← σ;  g ← tanh;  c' ← f c + i g;  s ← tanh c';  h' ← o s
struct LstmStep {
  static constexpr const char* name = "lstm";
  View gates;  // [B, 5·H] as i, f, g, o, s; the first four enter as sums, all leave as values
  View cell_before;  // [B, H] c
  View cell;         // [B, H] c', written
  View hidden;       // [B, H] h', written
};

/// Its gradient:  do = dh' s o (1 − o);  δ = dc' + dh' o (1 − s²);  di = δ g i (1 − i);
///   df = δ c f (1 − f);  dg = δ i (1 − g²);  dc = δ f
struct LstmGradient {
  static constexpr const char* name = "lstm_gradient";
  View gates;         // [B, 5·H] as the step left them
  View cell_before;   // [B, H]
  View dhidden;       // [B, H] dh'
  View dcell;         // [B, H] dc'
  View dgates;        // [B, 4·H], written
  View dcell_before;  // [B, H] dc, written; may be dcell
};

/// One step of a gated recurrent unit, rows dense:
///   r, z ← σ;  n ← tanh(n + r u);  h' ← n + z (h − n)
struct GruStep {
  static constexpr const char* name = "gru";
  View gates;          // [B, 4·H] as n, r, z, u; all enter as sums, u stays one
  View hidden_before;  // [B, H] h
  View hidden;         // [B, H] h', written
};

/// Its gradient:  dn = dh' (1 − z)(1 − n²);  dr = dn u r (1 − r);  du = dn r;
///   dz = dh' (h − n) z (1 − z);  dh = dh' z
struct GruGradient {
  static constexpr const char* name = "gru_gradient";
  View gates;           // [B, 4·H] as the step left them
  View hidden_before;   // [B, H]
  View dhidden;         // [B, H] dh'
  View dgates;          // [B, 4·H] as dn, dr, dz, du, written
  View dhidden_before;  // [B, H] dh, written; may be dhidden
};

/// All steps of a layer: at each the sums of the gates, x_t + W h + b, and then the cell's step. A row that
/// is not active at a time keeps its state.
struct RecurrentSteps {
  static constexpr const char* name = "recurrent";
  bool is_lstm = false;      // or a gated recurrent unit
  bool is_reversed = false;  // from the last time to the first
  View projected;            // [B, T, G·H] x in the order of W's rows: r, z, n or i, f, g, o
  View packed;               // W [G·H, H] as PackStep left it; a gru's rows are r, z, n
  View bias = {};            // [G·H] b, or none
  View active = {};          // [T, B, 1]: 1 or 0, or none: all are
  View hidden_before;        // [B, H]
  View cell_before = {};     // [B, H], of an lstm
  View gates;         // [T, B, 5·H] or [T, B, 4·H] as LstmStep or GruStep leave them, written
  View hidden;        // [T, B, H] after each time, written
  View cell = {};     // [T, B, H], of an lstm, written
  View outputs = {};  // [B, T, H] hidden, 0 where a row is not active, written, or none
};

/// Its gradient. `steps` is what was run without x, b and outputs, and `packed` is Wᵀ.
struct RecurrentStepsGradient {
  static constexpr const char* name = "recurrent_gradient";
  RecurrentSteps steps;
  View doutputs = {};  // [B, T, H]: what reaches h at each time where a row is active, or none
  View dhidden;        // [B, H]: what reaches the last h; becomes dh of hidden_before
  View dcell = {};     // [B, H], the same of c
  View dgates;  // [T, B, 4·H] as LstmGradient or GruGradient leave them, written; 0 where a row
                // is not active
  View dprojected = {};  // [B, T, G·H] in the order of W's rows, written, or none
};

}  // namespace heed
