// doubly_stochastic: over a whole output every source position should get a total weight of about 1
// (Xu 2015, section 4.2.1).
//
//   L = (1/N) Σ_b Σ_j (1 − Σ_i α_bij)²
//
// b runs over the sentences of the batch, i over the output's positions and j over the source's. N
// is the number of target tokens. The loss of words is divided by the same N, so the paper's λ is
// this objective's weight. With several heads or blocks, α is their mean.
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/train/objective/attention_grid.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class DoublyStochastic : public Objective {
 public:
  Report report() const override { return {.weights = true}; }
  Tensor operator()(const TaughtBatch& taught) override {
    const AttentionGrid grid = attention_grid(taught);
    const Tensor missing = 1 - sum(grid.weights, {1});  // 1 − coverage, [B, S]
    return sum(missing * missing * grid.has_slot()) /
           static_cast<double>(taught.batch.target_tokens());
  }
};

}  // namespace

std::unique_ptr<Objective> doubly_stochastic() { return std::make_unique<DoublyStochastic>(); }

}  // namespace heed
