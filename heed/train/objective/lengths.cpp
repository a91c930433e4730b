// lengths: teaches a parallel decoder to predict the number of words of a target.
//
//   L = (1/N) Σ_b −ln p(n_b | x_b),     N the target tokens of the batch, end tokens included
//
// n_b is the number of words of target b. If the decoder has no column for it, the nearest one counts.
#include <algorithm>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/reduce.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class Lengths : public Objective {
 public:
  void attach(Model& model) override {
    Objective::attach(model);
    const Decoder& taught = model.decoder(decoder());
    if (as<Parallel>(taught) == nullptr) {
      fail(Fault::usage,
           "training.objectives: lengths is for decoders that fill all positions at once, and {} "
           "ends by itself; leave it out",
           taught.kind());
    }
    if (!as<Parallel>(taught)->predicts_length()) {
      fail(Fault::usage,
           "training.objectives: lengths is for decoders that predict lengths, and this one ends "
           "at its first end token (length_from = \"end\"); leave it out");
    }
  }
  bool teaches_lengths() const override { return true; }
  Tensor operator()(const TaughtBatch& taught) override {
    const LengthScores& scores = taught.decoded.lengths.value();
    const std::vector<int32_t>& rows = taught.batch.target.lengths();
    const auto last = static_cast<int32_t>(scores.logits.size(1) - 1);
    std::vector<int32_t> columns;
    for (size_t b = 0; b < rows.size(); ++b) {
      columns.push_back(std::clamp(rows[b] - 1 - scores.first[b], 0, last));
    }
    const Tensor wanted = Tensor::of(columns, {static_cast<int64_t>(columns.size())},
                                     scores.logits.place().with(DType::i32));
    return sum(cross_entropy(scores.logits, wanted)) /
           static_cast<double>(taught.batch.target_tokens());
  }
};

}  // namespace

std::unique_ptr<Objective> lengths() { return std::make_unique<Lengths>(); }

}  // namespace heed
