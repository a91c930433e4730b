// left_to_right: attention should not go back. The loss is computed from the mean position that an
// output attends to, as a share of the source:
//
//   e_bi = Σ_j α_bij j / S_b,     L = (1/N) Σ_b Σ_{i ≥ 1} max(0, e_b,i−1 − e_bi)
//
// b runs over the sentences of the batch, i over the T_b positions of the output and j over the S_b
// of the source; N = Σ_b T_b.
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reduce.h"
#include "heed/ops/slice.h"
#include "heed/train/objective/attention_grid.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class LeftToRight : public Objective {
 public:
  Report report() const override { return {.weights = true}; }

  Tensor operator()(const TaughtBatch& taught) override {
    const AttentionGrid grid = attention_grid(taught);
    const Tensor at = sum(grid.weights * grid.memory_share(), {2});  // e [B, T]
    const int64_t steps = at.size(1) - 1;
    if (steps == 0) {
      return sum(at) * 0.0;  // an output of one word cannot go back
    }
    const Tensor back = relu(slice(at, 1, 0, steps) - slice(at, 1, 1, steps));
    const Tensor is_there = slice(grid.has_target(), 1, 1, steps);
    return sum(back * is_there) / static_cast<double>(taught.batch.target_tokens());
  }
};

}  // namespace

std::unique_ptr<Objective> left_to_right() { return std::make_unique<LeftToRight>(); }

}  // namespace heed
