// The cross-entropy of words: every position predicts its word, given the right words before it.
//
//   loss = (1/N) Σ_i −ln p(y_i | y_<i, x),   N the target tokens of the batch, the end included
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heed/data/batch.h"
#include "heed/data/corpus.h"
#include "heed/model/model.h"
#include "heed/nn/pass.h"
#include "heed/ops/ctc.h"

namespace heed {

/// The mean over target tokens, as one number with its history, from the model's logits for the
/// batch; `smoothing` is that of ops/cross_entropy.h. Of a framewise decoder it is ctc_losses, without
/// smoothing, in which a target that has no path counts for nothing.
Tensor word_loss(const Decoded& decoded, const Batch& batch, double smoothing);
/// The same by a forward pass that reports nothing.
Tensor teacher_forcing_loss(const Model& model, const Batch& batch, double smoothing, Pass& pass);

/// −ln p(y | x) of each target by all paths of a framewise decoder, [B].
Tensor ctc_losses(const Decoded& decoded, const Batch& batch, NoPath no_path);

/// The mean over all target tokens of a corpus, without smoothing or dropout; its exponential is
/// the perplexity. A batch has `sentences` sentences.
double corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences);
/// The same; nothing if `goes_on`, which is called before each batch, returns false.
std::optional<double> corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences,
                                  const std::function<bool()>& goes_on);

}  // namespace heed
