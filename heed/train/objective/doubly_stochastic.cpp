// doubly_stochastic: over a whole output every source position should get a total weight of about 1
// (Xu 2015, section 4.2.1).
//
//   L = (1/N) Σ_b Σ_j (1 − Σ_i α_bij)²
//
// b runs over the sentences of the batch, i over the output's positions and j over the source's. N
// is the number of target tokens. The loss of words is divided by the same N, so the paper's λ is
// this objective's weight. With several heads or blocks, α is their mean.
#include "heed/ops/arithmetic.h"
#include "heed/ops/grid.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reduce.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class DoublyStochastic : public Objective {
 public:
  Report report() const override { return {.weights = true}; }
  Tensor operator()(const TaughtBatch& taught) override {
    const Batch& batch = taught.batch;
    const Tensor alpha = to_grid(mean_weights(taught.decoded), batch.target);  // [B, T, S]
    const Tensor coverage = sum(alpha, {1});                                   // [B, S]
    const Tensor missing = 1 - coverage;
    const Tensor is_there = mask_of_lengths(lengths_of(taught.decoded, alpha.place()),
                                            coverage.size(1), coverage.dtype());
    return sum(missing * missing * is_there) / static_cast<double>(batch.target_tokens());
  }

 private:
  /// The mean over heads and blocks, [N, S].
  static Tensor mean_weights(const Decoded& decoded) {
    Tensor total;
    for (const Attended& report : decoded.reports) {
      const Tensor heads = mean(report.weights, {1});
      total = total.defined() ? total + heads : heads;
    }
    const auto blocks = static_cast<double>(decoded.reports.size());
    return blocks == 1 ? total : total / blocks;
  }
  static Tensor lengths_of(const Decoded& decoded, const Place& place) {
    const auto count = static_cast<int64_t>(decoded.memory_lengths.size());
    return Tensor::of(decoded.memory_lengths, {count}, place.with(DType::i32));
  }
};

}  // namespace

std::unique_ptr<Objective> doubly_stochastic() { return std::make_unique<DoublyStochastic>(); }

}  // namespace heed
