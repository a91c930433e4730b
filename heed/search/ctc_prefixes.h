// A framewise decoder as a scorer of a left-to-right search (Watanabe 2017): the probability of the next
// word is ψ(g·c) / ψ(g), by the paths of all frames (model/ctc/prefix.h). Every hypothesis has its prefix,
// on the host.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/model/ctc/prefix.h"
#include "heed/model/decoder.h"

namespace heed {

class CtcPrefixes {
 public:
  explicit CtcPrefixes(const Framewise& decoder) : decoder_(&decoder) {}

  /// Adds an empty prefix for each entry of `memory_of`, which names its source.
  void admit(const Remembered& memory, std::span<const int32_t> memory_of);
  /// Extends every prefix by its word, i32 [Q] (the start token extends nothing), and returns the
  /// log-probabilities of the next words, [Q, V].
  Tensor step(const Tensor& ids);

  /// Like State's functions.
  void reorder(const Tensor& parent);
  void select(std::span<const int32_t> rows);

 private:
  const Framewise* decoder_;
  Place place_;
  std::vector<CtcPrefix> prefixes_;
};

}  // namespace heed
