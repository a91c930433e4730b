// Outputs that a model itself produces in training, for objectives that judge whole outputs: drawn
// by a search, then taught as if they were targets, so that their probabilities have gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/search/search_options.h"

namespace heed {

struct TaughtOutput {
  int32_t sentence = 0;      // of the batch
  std::vector<TokenId> ids;  // without the end token
  bool ended = false;        // false: it was cut at the length limit

  bool operator==(const TaughtOutput&) const = default;
};

/// The right outputs of a batch.
std::vector<TaughtOutput> right_outputs(const Batch& batch);

/// What a search finds for every sentence, sentence by sentence. Outputs are cut at twice the length
/// of the batch's longest target and ten words more.
std::vector<TaughtOutput> found_outputs(const Model& model, const Autoregressive& decoder,
                                        const Encoded& encoded, const Batch& batch,
                                        SearchOptions options);

/// The special tokens that are in no output that a search finds here, such as the start token.
std::vector<TokenId> never_drawn(const SpecialTokens& specials);

/// ln p of each output, [C], with its history, where every word has p_i^(1/T) / Σ p^(1/T) and both are
/// over the words that can be drawn. Otherwise an objective that makes what is drawn less likely
/// would give the probability to a word that is never drawn, and nothing would take it back. A right
/// output can be drawn as well: it has words and the unknown token.
Tensor log_probabilities(const Autoregressive& decoder, const Encoded& encoded,
                         const std::vector<TaughtOutput>& outputs, double temperature, Pass& pass);

}  // namespace heed
