// alignment: attention is taught to look where given word alignments point (Chen 2016, "Guided
// alignment training").
//
//   L = (1/N) Σ_i −Σ_j g_ij ln α_ij,     g_ij = 1 / (links of token i) where i is linked to j, else 0
//
// α is the mean over heads and blocks. Tokens without links, and pairs that the file does not have,
// teach nothing. A weight below 10⁻⁶ counts as that much and has no gradient, as one of sparse
// normalisers that is 0 has none.
#include "heed/base/error.h"
#include "heed/data/corpus.h"
#include "heed/data/token_items.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reduce.h"
#include "heed/train/objective/attention_grid.h"
#include "heed/train/objective/token_links.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class Alignment : public Objective {
 public:
  void describe(Describer& d) override {
    Objective::describe(d);
    d.setting("links", path_,
              {"a file of lines source TAB target TAB links, such as 0-0 1-2, in words from 0"});
  }
  Report report() const override { return {.weights = true}; }

  void locate(const Locate& locate) override { located_ = locate(path_); }
  void see(const Corpus& train) override {
    if (path_.empty()) {
      fail(Fault::usage, "training.objectives: alignment has no file of alignments; set links");
    }
    if (!train.fields().source->has_tokens() || !train.fields().target->has_tokens()) {
      fail(Fault::usage,
           "training.objectives: alignment is for words, and the source or the target is not text; "
           "leave it out");
    }
    links_ = TokenLinks(located_.empty() ? path_ : located_, train.fields());
    for (int64_t i = 0; i < train.size(); ++i) {
      if (links_.find(ids_of(train.source(i)), ids_of(train.target(i))) != nullptr) {
        return;
      }
    }
    fail(Fault::usage,
         "training.objectives: none of the {} pairs in {} is in the training data; give the "
         "alignments of the training data",
         links_.size(), path_);
  }

  Tensor operator()(const TaughtBatch& taught) override {
    if (taught.decoded.memory_lengths != taught.batch.source.layout.lengths()) {
      fail(Fault::usage,
           "training.objectives: alignment is for encoders with one slot for each token, and this "
           "one's memory is not as long as the source; choose another encoder");
    }
    const AttentionGrid grid = attention_grid(taught);
    const Tensor wanted = wanted_weights(taught.batch, grid.weights.shape(), grid.weights.place());
    const Tensor losses = wanted * log(maximum(grid.weights, 1e-6));
    return sum(losses) / -static_cast<double>(taught.batch.target_tokens());
  }
  std::vector<std::string> measure_names() const override { return {"linked"}; }
  std::vector<Tensor> measures() const override { return {linked_}; }

 private:
  /// g [B, T, S].
  Tensor wanted_weights(const Batch& batch, const Shape& cells, const Place& place) {
    std::vector<float> wanted(static_cast<size_t>(cells.numel()));
    double linked = 0;
    for (size_t b = 0; b < static_cast<size_t>(cells[0]); ++b) {
      const auto source = batch.source.ids_of(b);
      const auto* links = links_.find(source.first(source.size() - 1), batch.words_of(b));
      if (links == nullptr) {
        continue;
      }
      for (size_t at = 0; at < links->size();) {
        const int32_t i = (*links)[at].first;
        size_t last = at;
        while (last < links->size() && (*links)[last].first == i) {
          ++last;
        }
        const size_t row = (b * static_cast<size_t>(cells[1]) + static_cast<size_t>(i)) *
                           static_cast<size_t>(cells[2]);
        for (size_t one = at; one < last; ++one) {
          wanted[row + static_cast<size_t>((*links)[one].second)] =
              1 / static_cast<float>(last - at);
        }
        at = last;
        linked += 1;
      }
    }
    linked_ = Tensor::full({}, linked / static_cast<double>(batch.target_tokens()), place);
    return Tensor::of(wanted, cells, place);
  }

  std::string path_;
  std::string located_;  // where it lies; empty: as it is written
  TokenLinks links_;
  Tensor linked_;  // the share of tokens with links
};

}  // namespace

std::unique_ptr<Objective> alignment() { return std::make_unique<Alignment>(); }

}  // namespace heed
