// Decides which words a decoder is fed when it is taught. Without it the decoder is fed the right
// words (teacher forcing).
#pragma once

#include <functional>

#include "heed/nn/pass.h"
#include "heed/tensor/tensor.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// A decoder that goes step by step calls it once a step; one that computes all positions at once
/// calls it once for all of them. The start token is always fed.
class Feed {
 public:
  virtual ~Feed() = default;

  struct Question {
    const Tensor& right;  // i32 [n]: the words that belong there
    int64_t words;        // of the vocabulary
    const SpecialTokens& specials;
    /// Computes the model's own logits there, [n, words] without history.
    const std::function<Tensor()>& logits;
  };
  /// The words to feed, i32 [n].
  virtual Tensor operator()(const Question& question, Pass& pass) const = 0;
};

}  // namespace heed
