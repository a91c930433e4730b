// diagonal: guides attention towards the diagonal, for tasks where source and output run in
// parallel, such as speech and pronunciation (Tachibana 2018, section 4.1).
//
//   L = (1/N) Σ_b Σ_i (1/S_b) Σ_j α_bij W_bij,     W_bij = 1 − exp(−(i/T_b − j/S_b)² / (2 g²))
//
// b runs over the sentences of the batch, i over the T_b positions of the output and j over the S_b
// of the source; N = Σ_b T_b. So L is the mean of α W over each sentence, averaged over sentences
// by their tokens. W is 0 on the diagonal and grows towards 1 with the distance from it; g is the
// width of the free strip.
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/train/objective/attention_grid.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

class Diagonal : public Objective {
 public:
  void describe(Describer& d) override {
    Objective::describe(d);
    d.setting(
        "width", width_,
        {.help = "g: how far from the diagonal, as a share of the length, attention may stray",
         .least = 0.001,
         .most = 10});
  }
  Report report() const override { return {.weights = true}; }

  Tensor operator()(const TaughtBatch& taught) override {
    const AttentionGrid grid = attention_grid(taught);
    const Tensor distance = grid.target_share() - grid.memory_share();  // [B, T, S]
    const Tensor penalty = 1 - exp(distance * distance * (-0.5 / (width_ * width_)));
    const Tensor of_slots = sum(grid.weights * penalty, {1, 2});  // [B]
    const Tensor slots = cast(grid.memory_lengths, of_slots.dtype());
    return sum(of_slots / slots) / static_cast<double>(taught.batch.target_tokens());
  }

 private:
  double width_ = 0.2;
};

}  // namespace

std::unique_ptr<Objective> diagonal() { return std::make_unique<Diagonal>(); }

}  // namespace heed
