// What is done to rows of features x_t, t = 0 … T − 1, after they are made. Beyond the ends the first
// and the last row are repeated.
//
//   with_deltas   d_t = Σ_n n (x_{t+n} − x_{t−n}) / (2 Σ_n n²),  n = 1 … reach    (HTK, torchaudio)
//                 appended to each row, `order` times, each from the one before
//   spliced       [x_{t−left}; …; x_{t+right}]
//   normalise     (x − μ) / √(σ² + ε), μ and σ² over the rows of the recording
//   played        f times as fast: y_t = (1 − r) x_⌊tf⌋ + r x_⌊tf⌋+1,  r = tf − ⌊tf⌋,  t < T / f, rounded
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed {

/// rows [T, width] → [T, width · (order + 1)].
std::vector<float> with_deltas(std::span<const float> rows, int64_t width, int64_t reach,
                               int64_t order);

/// rows [T, width] → [T, width · (left + 1 + right)].
std::vector<float> spliced(std::span<const float> rows, int64_t width, int64_t left, int64_t right);

/// rows [T, width] → [T / factor, width], at least one row if there was one.
std::vector<float> played(std::span<const float> rows, int64_t width, double factor);

enum class FrameNorm { none, mean, mean_and_variance };

void normalise(std::span<float> rows, int64_t width, FrameNorm how);

}  // namespace heed
