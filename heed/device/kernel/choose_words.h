// The words that may follow each row of logits.
#pragma once

#include "heed/device/view.h"

namespace heed {

/// The k likeliest words of each row of logits x [Q, V], likeliest first, ties to the lower index:
///   m = max_v x_v;  l = ln Σ_v e^(x_v − m);  log p(v) = (x_v − m) − l
/// A row that is forced has that word k times, −∞ but for the first. A word that is closed has −∞ and
/// keeps its place.
struct ChooseWords {
  static constexpr const char* name = "choose_words";
  View ids;                  // i32 [Q, k], dense, written
  View log_probability;      // f32 [Q, k], dense, written
  View most;                 // f32 [Q, 1] m, dense, written
  View loss;                 // f32 [Q, 1] l, dense, written
  View logits;               // f32 [Q, V], dense rows
  View forced = {};          // i32 [Q], −1: not; or none
  View closed = {};          // i32 [Q, C], −1: none; or none
  bool is_as_it_is = false;  // log p(v) = x_v, and m and l are 0
};

}  // namespace heed
