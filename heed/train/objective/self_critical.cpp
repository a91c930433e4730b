// self_critical: outputs that are drawn from the model become likelier if they are better than what
// the model itself would have said, and less likely if they are worse (Rennie 2017).
//
//   L = −(1/N) Σ_b (1/K) Σ_k (r(y_bk) − r_b) ln p_T(y_bk | x_b),     y_bk ~ p_T(y | x_b)
//
//   p_T  the model's distribution at a temperature, over the words that a search may draw (not the
//        start token): every word has p^(1/T) / Σ p^(1/T). T = 1 is the paper's. A model that was
//        taught with smoothed labels gives unlikely words so much probability that its samples are
//        far worse than what it says greedily, and teach little about it; below 1 they stay near
//        it. The greedy output is the same at every T.
//   r    reward by a metric (sequence_reward.h)
//   r_b  the reward of the greedy output (`greedy`, as in the paper), or for each sample the mean of
//        the other K − 1 (`others`, Kool 2019), which needs no search of its own
//
// Its gradient is, on average, that of −(1/N) Σ_b E[r]. N is the number of target tokens, so that it
// can be added to teacher_forcing. Rewards have no gradient.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/train/objective/sequence_objective.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

enum class Critic { greedy, others };

class SelfCritical : public SequenceObjective {
 public:
  void describe(Describer& d) override {
    SequenceObjective::describe(d);
    d.setting(
        "baseline", critic_, {{"greedy", Critic::greedy}, {"others", Critic::others}},
        {"what a sample is compared with: the model's greedy output, or the mean of the other "
         "samples"});
    d.setting("temperature", temperature_,
              {.help = "at which samples are drawn and taught: below 1 they are nearer to what the "
                       "model says greedily",
               .least = 1e-3,
               .most = most_factor});
  }
  void attach(Model& model) override {
    SequenceObjective::attach(model);
    if (critic_ == Critic::others && samples() < 2) {
      fail(Fault::usage,
           "training.objectives: self_critical with baseline = \"others\" compares samples, and "
           "there is only one; raise samples");
    }
  }

  Tensor operator()(const TaughtBatch& taught) override {
    const EncodedBatch encoded = encoded_batch(taught);
    const std::vector<TaughtOutput> outputs = sampled(encoded, temperature_, taught.key);
    const std::vector<double> reward = rewards_of(outputs, encoded);
    const std::vector<double> baseline =
        critic_ == Critic::greedy ? greedy_rewards(encoded, outputs) : means_of_others(reward);
    std::vector<double> factor;
    for (size_t c = 0; c < outputs.size(); ++c) {
      factor.push_back(baseline[c] - reward[c]);
    }
    const Place place = encoded.model.place();
    const auto count = static_cast<int64_t>(outputs.size());
    last_ = {mean_of(reward, place), mean_of(baseline, place)};
    const Tensor log_p = taught_log_probabilities(encoded, outputs, temperature_, taught.key);
    return sum(log_p * Tensor::of(factor, {count}, place)) /
           (static_cast<double>(samples()) * static_cast<double>(taught.batch.target_tokens()));
  }

  std::vector<std::string> measure_names() const override { return {"reward", "baseline_reward"}; }
  std::vector<Tensor> measures() const override { return last_; }

 private:
  /// The reward of the greedy output of each sample's sentence.
  std::vector<double> greedy_rewards(const EncodedBatch& encoded,
                                     const std::vector<TaughtOutput>& outputs) const {
    const std::vector<double> greedy =
        rewards_of(found_outputs(encoded.model, encoded.decoder, encoded.source, encoded.batch,
                                 SearchOptions()),
                   encoded);
    std::vector<double> baseline;
    for (const TaughtOutput& output : outputs) {
      baseline.push_back(greedy[static_cast<size_t>(output.sentence)]);
    }
    return baseline;
  }
  /// The samples of a sentence are side by side.
  std::vector<double> means_of_others(const std::vector<double>& reward) const {
    const auto count = static_cast<size_t>(samples());
    std::vector<double> baseline;
    for (size_t first = 0; first < reward.size(); first += count) {
      double total = 0;
      for (size_t k = 0; k < count; ++k) {
        total += reward[first + k];
      }
      for (size_t k = 0; k < count; ++k) {
        baseline.push_back((total - reward[first + k]) / static_cast<double>(count - 1));
      }
    }
    return baseline;
  }

  Critic critic_ = Critic::greedy;
  double temperature_ = 1;
  std::vector<Tensor> last_;
};

}  // namespace

std::unique_ptr<Objective> self_critical() { return std::make_unique<SelfCritical>(); }

}  // namespace heed
