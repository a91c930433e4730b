// left_to_right: attention should not go back. The loss is computed from the mean position that an
// output attends to, as a share of the source:
//
//   e_bi = Σ_j α_bij j / S_b,     L = (1/N) Σ_b Σ_{i ≥ 1} max(0, e_b,i−1 − e_bi)
//
// b runs over the sentences of the batch, i over the T_b positions of the output and j over the S_b
// of the source; N = Σ_b T_b. Its measures: `backward` is the share of outputs whose largest weight lies
// before that of the output before, `reach` how far into the source the largest weights come. Attention
// that is learnt goes back seldom and reaches the end; before, it often stays at one slot. With a weight of
// 0 the objective only measures.
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
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
    measure(grid, static_cast<double>(taught.batch.target_tokens()));
    const Tensor at = sum(grid.weights * grid.memory_share(), {2});  // e [B, T]
    const int64_t steps = at.size(1) - 1;
    if (steps == 0) {
      return sum(at) * 0.0;  // an output of one word cannot go back
    }
    const Tensor back = relu(slice(at, 1, 0, steps) - slice(at, 1, 1, steps));
    const Tensor is_there = slice(grid.has_target(), 1, 1, steps);
    return sum(back * is_there) / static_cast<double>(taught.batch.target_tokens());
  }
  std::vector<std::string> measure_names() const override { return {"backward", "reach"}; }
  std::vector<Tensor> measures() const override { return {backward_, reach_}; }

 private:
  void measure(const AttentionGrid& grid, double tokens) {
    const Tensor weights = grid.weights.detached();
    const Tensor is_there = grid.has_target().detached();                       // [B, T]
    const Tensor peaks = cast(argmax(weights, 2), weights.dtype()) * is_there;  // [B, T]
    const Tensor last = cast(grid.memory_lengths, weights.dtype()) - 1;
    reach_ = mean(max(peaks, 1) / maximum(last, 1));
    const int64_t steps = peaks.size(1) - 1;
    if (steps == 0) {
      backward_ = reach_ * 0.0;
      return;
    }
    const Tensor slots = slice(peaks, 1, 0, steps) - slice(peaks, 1, 1, steps);
    const Tensor goes_back = relu(slots) - relu(slots - 1);  // of whole numbers: min(1, slots)
    backward_ = sum(goes_back * slice(is_there, 1, 1, steps)) / tokens;
  }

  Tensor backward_;
  Tensor reach_;
};

}  // namespace

std::unique_ptr<Objective> left_to_right() { return std::make_unique<LeftToRight>(); }

}  // namespace heed
