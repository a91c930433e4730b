// The answer of a labelling decoder: the likeliest label of every row of the source, or of the whole, all at
// once. No search is needed.
//
// One hypothesis a sentence, with log p = Σ_j log p(y_j | x); for a decoder that gives the whole source one
// label, the `n_best` likeliest labels. Special tokens other than unknown are no labels. There is no end
// token. The weights are those of the labels, if the decoder attends.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "heed/attention/chosen_weights.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/softmax.h"
#include "heed/ops/topk.h"
#include "heed/search/frontier.h"
#include "heed/search/searches.h"
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

void check_options(const Labelling& decoder, const SearchOptions& options) {
  if (options.parallel.length > 0) {
    fail(Fault::usage,
         "label: `length` {} has no effect: there are as many labels as the source has rows; leave "
         "it out",
         options.parallel.length);
  }
  if (decoder.labels_each_row() && options.n_best > 1) {
    fail(Fault::usage,
         "label: `n_best` {} is for decoders that give the source one label, and {} labels every "
         "row; leave it out",
         options.n_best, decoder.kind());
  }
}

/// Its steps: the source is remembered, and labelled.
class LabelSearch : public BatchSearch {
 public:
  LabelSearch(const Model& model, const Batch& batch, const SearchOptions& options)
      : model_(model), source_(batch.source), options_(options) {
    check_options(model.labelling(), options);
  }

  bool is_done() const override { return is_done_; }
  void step() override {
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    if (!memory_) {
      memory_ = model_.remember(source_, pass);
      return;
    }
    label(pass);
    is_done_ = true;
  }
  std::vector<std::vector<Hypothesis>> take() override { return std::move(found_); }

 private:
  void label(Pass& pass) {
    const Labelling& decoder = model_.labelling();
    const Decoded decoded = decoder.label(*memory_, {.weights = options_.weights}, pass);
    const Likeliest likeliest(decoded, decoder.specials(), options_.n_best);
    const Tensor weights = options_.weights
                               ? chosen_weights(decoded.reports, options_.block, options_.head)
                               : Tensor();
    const std::vector<float> looked =
        weights.defined() ? weights.values<float>() : std::vector<float>();
    size_t row = 0;
    for (const int32_t length : memory_->lengths) {
      const auto labels = static_cast<size_t>(decoder.labels_of(length));
      std::vector<Hypothesis>& own = found_.emplace_back(static_cast<size_t>(likeliest.count));
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
  }

  const Model& model_;
  FieldRows source_;
  SearchOptions options_;
  std::optional<Remembered> memory_;
  bool is_done_ = false;
  std::vector<std::vector<Hypothesis>> found_;
};

}  // namespace

std::unique_ptr<BatchSearch> label_search(const SearchRequest& request) {
  return std::make_unique<LabelSearch>(request.model(), request.batch, request.options);
}

}  // namespace heed
