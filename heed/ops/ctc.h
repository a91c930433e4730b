// Connectionist temporal classification (Graves 2006): −ln p(y | x), where x are rows of logits over
// labels and a blank, one row a frame, and p sums over every path π, one label or blank a frame, that
// becomes y when repeated labels are merged and blanks removed.
//
//   z = (∅, y_1, ∅, y_2, …, y_L, ∅)         S = 2L + 1 states; q_t(s) = softmax(x_t)_{z_s}
//   α_t(s) = q_t(s) [α_{t−1}(s) + α_{t−1}(s−1) + α_{t−1}(s−2) where z_s ∉ {∅, z_{s−2}}]
//   β_t(s) = Σ_r q_{t+1}(r) β_{t+1}(r)      over the states r that s leads to; β_T(s) = 1 at the last two
//   p = Σ_s α_T(s) β_T(s)                   γ_t(s) = α_t(s) β_t(s) / p, where the paths are at frame t
//
//   ∂(−ln p)/∂x_tk = softmax(x_t)_k − Σ_{s: z_s = k} γ_t(s)
//
// All of it is in logarithms. α and β are divided by their largest at every frame, so that long
// recordings lose no precision.
//
// y needs at least L frames and one more for each label that equals the one before it. Where there are
// fewer, no path exists: that is an Error, or the sequence counts for nothing (loss and gradient 0, as
// PyTorch's zero_infinity).
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/layout.h"

namespace heed {

/// What happens to a sequence whose labels no path can give.
enum class NoPath { refuse, skip };

struct CtcOptions {
  int32_t blank = 0;
  NoPath no_path = NoPath::refuse;
};

/// The labels of all sequences, one behind the other, and how many each has. The host has them: the
/// states of the paths are laid out there.
struct CtcLabels {
  std::span<const int32_t> labels;
  std::span<const int32_t> lengths;
};

/// logits [N, V] with `frames`, labels of as many sequences, none of them the blank → −ln p of each
/// sequence, [B].
Tensor ctc_loss(const Tensor& logits, const Layout& frames, const CtcLabels& labels,
                const CtcOptions& options = {});

}  // namespace heed
