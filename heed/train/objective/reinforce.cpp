// reinforce: teaches attention that chooses one slot (normaliser hard) where to look (Xu 2015,
// section 4.1; Williams 1992). It stands beside teacher_forcing, which teaches the words given the
// slots s that were sampled.
//
//   L = −(1/N) Σ_i [ (R_i − b_i) ln p(s_i | a, s_<i) + λ H(s_i) ]
//
//   r_i = ln p(y_i | y_<i, s, a)      the reward of a position
//   R_i = Σ r over the positions that a choice is rewarded for: the whole output (`output`, as in
//         the paper), the position and those after it (`rest`), or the position alone (`word`)
//   b_i = b times the number of these positions
//   b   = moving average of the mean r:  b ← d b + (1 − d) mean r, after each step
//   H   = entropy of the distribution from which s_i is drawn
//
// R and b have no gradient. N is the number of target tokens; the paper's λ_r is this objective's
// weight. A choice cannot change what was said before it, so `rest` has the same mean as `output`.
// Which of them varies less depends on how well b fits. The mean of `word` is right if a choice
// affects its own position only: attend_after without input feeding. With several heads or blocks,
// ln p and H are sums over all of them.
#include "heed/attention/gradient_stops.h"
#include "heed/base/error.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/grid.h"
#include "heed/ops/reduce.h"
#include "heed/ops/running_sum.h"
#include "heed/tensor/tape.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

enum class Credit { output, rest, word };

/// What the heads of all blocks report at each position, added up: [N, H] → [N].
Tensor sum_of_reports(const Decoded& decoded, Tensor Attended::*field) {
  Tensor total;
  for (const Attended& report : decoded.reports) {
    const Tensor heads = sum(report.*field, {1});
    total = total.defined() ? total + heads : heads;
  }
  return total;
}

class Reinforce : public Objective {
 public:
  void describe(Describer& d) override {
    Objective::describe(d);
    d.setting("reward", credit_,
              {{"output", Credit::output}, {"rest", Credit::rest}, {"word", Credit::word}},
              {"what a choice is rewarded for: ln p of the whole output, of its word and those "
               "after it, or of its word alone"});
    d.setting("baseline", decay_,
              {.help = "d of the moving average that is subtracted from rewards",
               .least = 0,
               .most = 0.999999});
    d.setting(
        "entropy", entropy_,
        {.help = "λ: how much an undecided distribution is rewarded", .least = 0, .most = 100});
  }

  void attach(Model& model) override {
    Objective::attach(model);
    Decoder& taught = model.decoder(decoder());
    if (gradient_stops(taught).empty() || taught.reporting_blocks() == 0) {
      fail(Fault::usage,
           "training.objectives: reinforce is for the normaliser hard, and the attention of {} "
           "chooses no slot; leave it out, or set the normaliser",
           taught.kind());
    }
    average_ = Tensor::zeros({1}, model.place());
    weight_of_average_ = Tensor::zeros({1}, model.place());
  }
  Report report() const override { return {.entropy = true}; }
  bool teaches_choices() const override { return true; }

  void begin() override {
    seen_ = Tensor();
    tokens_ = 0;
  }

  Tensor operator()(const TaughtBatch& taught) override {
    const auto tokens = static_cast<double>(taught.batch.target_tokens());
    const Tensor credit = credit_of(taught);
    const Tensor choices = sum_of_reports(taught.decoded, &Attended::log_probability);
    const Tensor entropy = sum(sum_of_reports(taught.decoded, &Attended::entropy)) / tokens;
    last_entropy_ = entropy.detached();
    return sum(credit * choices) / -tokens - entropy * entropy_;
  }

  /// Divided by the weight of all rewards in it, so that it does not begin at 0.
  void follow() override {
    const NoGrad no_gradients;
    average_ = average_ * decay_ + seen_ * ((1 - decay_) / tokens_);
    weight_of_average_ = affine(weight_of_average_, decay_, 1 - decay_);
  }

  std::vector<std::string> measure_names() const override { return {"reward", "entropy"}; }
  std::vector<Tensor> measures() const override { return {last_reward_, last_entropy_}; }

  std::vector<NamedParameter> state() override {
    return {{"baseline", &average_}, {"baseline_weight", &weight_of_average_}};
  }

 private:
  /// R_i − b_i [N], without a gradient.
  Tensor credit_of(const TaughtBatch& taught) {
    const NoGrad no_gradients;
    const Tensor reward = -cross_entropy(taught.decoded.logits, taught.batch.target_out);
    const Tensor total = sum(reward);
    const auto tokens = static_cast<double>(taught.batch.target_tokens());
    seen_ = seen_.defined() ? seen_ + total : total;
    tokens_ += tokens;
    last_reward_ = total / tokens;
    Tensor gain = reward - average_ / maximum(weight_of_average_, 1e-30);
    if (credit_ == Credit::word) {
      return gain;
    }
    const Layout& layout = taught.batch.target;
    const Tensor grid = to_grid(gain, layout);       // [B, T]
    const Tensor all = sum(grid, {1}, true);         // [B, 1]
    const Tensor before = running_sum(grid) - grid;  // without the position's own
    return to_rows(credit_ == Credit::rest ? all - before : all + grid * 0.0, layout);
  }

  Credit credit_ = Credit::rest;
  double decay_ = 0.9;
  double entropy_ = 0;
  Tensor average_;            // [1]
  Tensor weight_of_average_;  // [1]
  Tensor seen_;               // the sum of the step's rewards
  double tokens_ = 0;         // their number
  Tensor last_reward_, last_entropy_;
};

}  // namespace

std::unique_ptr<Objective> reinforce() { return std::make_unique<Reinforce>(); }

}  // namespace heed
