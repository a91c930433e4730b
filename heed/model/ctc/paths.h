// The paths of connectionist temporal classification on the host, one sentence at a time, for searching,
// scoring and drawing (Graves 2006). ops/ctc.h has the loss, its letters and its gradient.
//
//   p(y | x) = Σ over the paths π that collapse to y of Π_t p(π_t | x)
//   γ_t(i)   = the probability that a path which collapses to y is at word i in frame t
//   spikes   α_it = γ_t(i) / Σ_t γ_t(i): where word i was said, as attention says where it looked
//   by slot  Σ_t α_it a_tj: a frame belongs to one slot of the memory, or looks at slot j by a_tj
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/model/decoder.h"

namespace heed {

/// The predictions of every frame of one sentence.
struct CtcFrames {
  int64_t count = 0;  // T
  int64_t words = 0;  // V
  TokenId blank = 0;
  std::vector<float> log_p = {};  // [T, V]
  int64_t slots = 0;              // S, of the memory
  std::vector<float> looked =
      {};  // [T, S]: where the frames looked; empty: slot j has frames jT/S …

  double at(int64_t frame, TokenId word) const {
    return log_p[static_cast<size_t>(frame * words + word)];
  }
};

/// The sentences of a batch; `looked` [N, S] is where each frame looked, undefined if nowhere.
std::vector<CtcFrames> ctc_frames(const Decoded& said, const Tensor& looked = {});

/// ln p(y | x); −∞ where no path gives y.
double ctc_log_probability(const CtcFrames& frames, std::span<const TokenId> words);

/// A row of T numbers for each word, and one for the blank behind the last word. Rows sum to 1, or are 0
/// where no path exists or a path never stays there.
std::vector<std::vector<float>> ctc_spikes(const CtcFrames& frames, std::span<const TokenId> words);

/// The same by slot of the memory.
std::vector<std::vector<float>> slot_spikes(const CtcFrames& frames,
                                            std::span<const TokenId> words);

/// ln(e^a + e^b); either may be −∞.
double log_add(double a, double b);

}  // namespace heed
