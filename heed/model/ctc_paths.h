// The paths of connectionist temporal classification on the host, one sentence at a time, for searching,
// scoring and drawing (Graves 2006). ops/ctc.h has the loss, its letters and its gradient.
//
//   p(y | x) = Σ over the paths π that collapse to y of Π_t p(π_t | x)
//   γ_t(i)   = the probability that a path which collapses to y is at word i in frame t
//   spikes   α_it = γ_t(i) / Σ_t γ_t(i): where word i was said, as attention says where it looked
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/layout.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The predictions of every frame of one sentence.
struct CtcFrames {
  int64_t count = 0;  // T
  int64_t words = 0;  // V
  TokenId blank = 0;
  std::vector<float> log_p = {};  // [T, V]

  double at(int64_t frame, TokenId word) const {
    return log_p[static_cast<size_t>(frame * words + word)];
  }
};

/// The sentences of a batch, from logits [N, V].
std::vector<CtcFrames> ctc_frames(const Tensor& logits, const Layout& layout, TokenId blank);

/// ln p(y | x); −∞ where no path gives y.
double ctc_log_probability(const CtcFrames& frames, std::span<const TokenId> words);

/// A row of T numbers for each word, and one for the blank behind the last word. Rows sum to 1, or are 0
/// where no path exists or a path never stays there.
std::vector<std::vector<float>> ctc_spikes(const CtcFrames& frames, std::span<const TokenId> words);

/// The same by slot of the memory, each of which has `frames_of_slot` frames.
std::vector<std::vector<float>> by_slot(const std::vector<std::vector<float>>& spikes,
                                        int64_t frames_of_slot);

/// ln(e^a + e^b); either may be −∞.
double log_add(double a, double b);

}  // namespace heed
