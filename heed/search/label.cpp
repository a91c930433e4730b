#include "heed/search/label.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/chosen_weights.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/softmax.h"
#include "heed/ops/topk.h"
#include "heed/search/frontier.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// [V]: −∞ at special tokens, which are no labels, except unknown; 0 elsewhere.
Tensor closed_labels(const Tensor& logits, const SpecialTokens& specials) {
  std::vector<TokenId> ids = specials.suppressed();
  ids.push_back(specials.end());
  return closing(logits.size(1), ids, logits.place());
}

/// The likeliest labels of every row, likeliest first.
struct Likeliest {
  Likeliest(const Decoded& decoded, const SpecialTokens& specials, int64_t most) {
    const Tensor log_p = log_softmax(decoded.logits) + closed_labels(decoded.logits, specials);
    const auto free = log_p.size(1) - static_cast<int64_t>(specials.count()) + 1;  // unknown is one
    count = std::min(most, free);
    const TopK best = topk(log_p, count);
    ids = best.indices.values<int32_t>();
    log_probability = best.values.values();
  }
  int64_t count = 0;
  std::vector<int32_t> ids;             // [L · count]
  std::vector<double> log_probability;  // [L · count]
};

}  // namespace

std::vector<std::vector<Hypothesis>> label(const Model& model, const Batch& batch,
                                           const SearchOptions& options) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Remembered memory = model.remember(batch.source, pass);
  const Labelling& decoder = model.labelling();
  if (options.length > 0) {
    fail(Fault::usage,
         "label: --length {} has no effect: there are as many labels as the source has rows; leave "
         "it out",
         options.length);
  }
  if (decoder.labels_each_row() && options.n_best > 1) {
    fail(Fault::usage,
         "label: --n-best {} is for decoders that give the source one label, and {} labels every "
         "row; leave it out",
         options.n_best, decoder.kind());
  }
  const Decoded decoded = decoder.label(memory, {.weights = options.weights}, pass);
  const Likeliest likeliest(decoded, decoder.specials(), options.n_best);
  const Tensor weights =
      options.weights ? chosen_weights(decoded.reports, options.block, options.head) : Tensor();
  const std::vector<float> looked =
      weights.defined() ? weights.values<float>() : std::vector<float>();
  std::vector<std::vector<Hypothesis>> all;
  size_t row = 0;
  for (const int32_t length : memory.lengths) {
    const auto labels = static_cast<size_t>(decoder.labels_of(length));
    std::vector<Hypothesis>& own = all.emplace_back(static_cast<size_t>(likeliest.count));
    for (size_t n = 0; n < own.size(); ++n) {
      for (size_t j = row; j < row + labels; ++j) {
        own[n].ids.push_back(likeliest.ids[j * own.size() + n]);
        own[n].each_log_probability.push_back(likeliest.log_probability[j * own.size() + n]);
        if (weights.defined()) {
          const auto first = looked.begin() + static_cast<std::ptrdiff_t>(j) * weights.size(1);
          own[n].weights.emplace_back(first, first + length);
        }
      }
      own[n].log_probability = std::accumulate(own[n].each_log_probability.begin(),
                                               own[n].each_log_probability.end(), 0.0);
      own[n].score = own[n].log_probability;
    }
    row += labels;
  }
  return all;
}

}  // namespace heed
