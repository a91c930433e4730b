// Which words a decoder is fed when it is taught. Unless a lesson says otherwise it is fed the right
// ones: teacher forcing.
#pragma once

#include <functional>

#include "heed/nn/pass.h"
#include "heed/tensor/tensor.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// A decoder that goes step by step asks once a step, one that is taught all positions at once asks
/// once for all of them. The start token is always fed as it is.
class Feed {
 public:
  virtual ~Feed() = default;

  struct Question {
    const Tensor& right;  // i32 [n]: the words that belong there
    int64_t words;        // of the vocabulary
    const SpecialTokens& specials;
    /// What the model itself said there, logits [n, words] without history; computed when asked.
    const std::function<Tensor()>& said;
  };
  /// The words to feed, i32 [n].
  virtual Tensor operator()(const Question& question, Pass& pass) const = 0;
};

}  // namespace heed
