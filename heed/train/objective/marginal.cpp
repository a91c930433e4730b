// marginal: the exact loss of attention that chooses one slot at every position, summed over all
// choices. It is the yardstick of `reinforce`, which estimates the gradient of a bound of it.
//
//   L = (1/N) Σ_i −ln Σ_j α_ij p(y_i | y_<i, slot j)
//
// α is the distribution from which a slot is chosen (the weights, if the normaliser is soft). The
// sum over whole sequences of choices is this product of sums only if a choice affects the word of
// its own position and nothing else: attend_after without input feeding, with one head. It takes as
// many outputs as the source has slots.
#include <limits>

#include "heed/base/error.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/broadcast.h"
#include "heed/ops/compare.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

/// ln Σ_j α_j e^(x_j) of each row, [N, S] → [N]. Slots with α_j = 0 do not count.
Tensor log_mixture(const Tensor& shares, const Tensor& x) {
  const double closed = -std::numeric_limits<double>::infinity();
  const Tensor is_open = less(0, shares.detached());
  const Tensor terms = select(is_open, log(maximum(shares, 1e-30)) + x, closed);
  const Tensor most = max(terms.detached(), 1, true);
  return log(sum(exp(terms - most), {1})) + squeeze(most, 1);
}

class Marginal : public Objective {
 public:
  void attach(Model& model) override {
    Objective::attach(model);
    const Decoder& taught = model.decoder(decoder());
    if (!taught.says_by_slot()) {
      fail(Fault::usage,
           "training.objectives: marginal is for words that do not depend on where the decoder "
           "looked before, and those of {} do; set attend_after with input_feeding = false, one "
           "head, and neither local_p nor parts that read past weights, or use reinforce",
           taught.kind());
    }
  }
  bool reads_slots() const override { return true; }
  bool teaches_words() const override { return true; }
  bool teaches_choices() const override { return true; }

  Tensor operator()(const TaughtBatch& taught) override {
    const SlotWords& said = taught.decoded.by_slot.value();
    const Shape cells = said.distribution.shape();  // [N, S]
    const Tensor words =
        reshape(broadcast_to(unsqueeze(taught.batch.target_out, 1), cells), {cells[0] * cells[1]});
    const Tensor log_p = -reshape(cross_entropy(said.logits, words.dense()), cells);
    return sum(log_mixture(said.distribution, log_p)) /
           -static_cast<double>(taught.batch.target_tokens());
  }
};

}  // namespace

std::unique_ptr<Objective> marginal() { return std::make_unique<Marginal>(); }

}  // namespace heed
