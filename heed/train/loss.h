// Teacher forcing: every position is asked for its word, given the right words before it.
//
//   loss = (1 / N) Σ_n −ln p(y_n | y_<n, x),   N the target tokens of the batch, </s> included
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "heed/data/batch.h"
#include "heed/data/corpus.h"
#include "heed/model/model.h"
#include "heed/nn/pass.h"

namespace heed {

/// The mean over target tokens, as one number with its history; `smoothing` is that of
/// ops/cross_entropy.h.
Tensor teacher_forcing_loss(const Model& model, const Batch& batch, double smoothing, Pass& pass);

/// The mean over all target tokens of a corpus, without smoothing or dropout; e to it is the
/// perplexity. `sentences` go through the model together.
double corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences);
/// The same; nothing where `goes_on`, asked before each batch, says no.
std::optional<double> corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences,
                                  const std::function<bool()>& goes_on);

}  // namespace heed
