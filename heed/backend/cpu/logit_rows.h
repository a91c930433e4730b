// The sums that the loss of a row of logits needs, and the factors of its gradient.
#pragma once

namespace heed::cpu {

/// m = max_j x_j, Σ_j e^(x_j − m) and Σ_j (x_j − m).
struct LogitSums {
  float most;
  double exponentials;
  double shifted;
};

/// dx_j = share e^(x_j − m) − even
struct LogitGradients {
  float most;
  float share;
  float even;
};

}  // namespace heed::cpu
