// minimum_risk: the expected cost of what the model says, over a small set of outputs (Shen 2016).
//
//   L = (1/N) Σ_b Σ_{y ∈ S_b} Q(y) Δ(y),     Q(y) = p(y | x_b)^α / Σ_{y' ∈ S_b} p(y' | x_b)^α
//
//   S_b  different outputs that were drawn from the model, or the best of a beam, and the right one
//        if `reference` is set
//   Δ    the cost by a metric: the reward of a perfect output − r, where r is the reward
//        (sequence_reward.h); 1 − r for most metrics, −r for error rates
//   p    over the words that a search may draw (not the start token)
//   α    how sharp Q is; the paper found 0.005 best
//
// The gradient flows through Q: ∂L/∂ ln p(y) = (α/N) Q(y) (Δ(y) − Σ_{y'} Q(y') Δ(y')). N is the
// number of target tokens, so that it can be added to teacher_forcing.
#include <algorithm>
#include <limits>

#include "heed/ops/arithmetic.h"
#include "heed/ops/gather.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/softmax.h"
#include "heed/train/objective/sequence_objective.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

enum class From { samples, beam };

/// The outputs of every sentence, one row a sentence: which of them, and −∞ where there are fewer.
struct OutputGrid {
  std::vector<int32_t> which;
  std::vector<double> missing;
  int64_t width = 0;
};

OutputGrid grid_of(const std::vector<TaughtOutput>& outputs, size_t sentences) {
  std::vector<std::vector<int32_t>> rows(sentences);
  OutputGrid grid;
  for (size_t c = 0; c < outputs.size(); ++c) {
    auto& row = rows[static_cast<size_t>(outputs[c].sentence)];
    row.push_back(static_cast<int32_t>(c));
    grid.width = std::max(grid.width, static_cast<int64_t>(row.size()));
  }
  for (auto& row : rows) {
    for (size_t i = 0; i < static_cast<size_t>(grid.width); ++i) {
      const bool is_there = i < row.size();
      grid.which.push_back(is_there ? row[i] : -1);
      grid.missing.push_back(is_there ? 0 : -std::numeric_limits<double>::infinity());
    }
  }
  return grid;
}

class MinimumRisk : public SequenceObjective {
 public:
  void describe(Describer& d) override {
    SequenceObjective::describe(d);
    d.setting("from", from_, {{"samples", From::samples}, {"beam", From::beam}},
              {"where outputs come from: drawn, or a beam of as many"});
    d.setting(
        "alpha", alpha_,
        {.help = "α: how sharp the distribution over the outputs is", .least = 1e-6, .most = 100});
    d.setting("reference", has_reference_, {"the right output is one of them"});
  }
  void attach(Model& model) override {
    SequenceObjective::attach(model);
    if (!has_reference_ && samples() < 2) {
      fail(Fault::usage,
           "training.objectives: minimum_risk compares outputs, and one alone cannot become "
           "likelier than another; raise samples, or set reference = true");
    }
  }

  Tensor operator()(const TaughtBatch& taught) override {
    const EncodedBatch encoded = encoded_batch(taught);
    const std::vector<TaughtOutput> outputs = different(encoded, found(encoded, taught.key));
    const std::vector<double> reward = rewards_of(outputs, encoded);
    std::vector<double> cost;
    for (const double one : reward) {
      cost.push_back(this->reward().best() - one);
    }
    const Place place = encoded.model.place();
    last_ = {mean_of(reward, place)};
    const Tensor log_p = taught_log_probabilities(encoded, outputs, 1, taught.key);
    const OutputGrid grid = grid_of(outputs, encoded.right.size());
    const Shape cells{static_cast<int64_t>(encoded.right.size()), grid.width};
    const Tensor which = Tensor::of(grid.which, {cells.numel()}, place.with(DType::i32));
    const auto on_grid = [&](const Tensor& x) {  // [C] → [B, width]
      return reshape(gather_rows(unsqueeze(x, 1), which), cells);
    };
    const Tensor q = softmax(on_grid(log_p) * alpha_ + Tensor::of(grid.missing, cells, place));
    const Tensor costs = on_grid(Tensor::of(cost, {static_cast<int64_t>(cost.size())}, place));
    return sum(q * costs) / static_cast<double>(taught.batch.target_tokens());
  }

  std::vector<std::string> measure_names() const override { return {"reward"}; }
  std::vector<Tensor> measures() const override { return last_; }

 private:
  std::vector<TaughtOutput> found(const EncodedBatch& encoded, const RandomKey& key) const {
    if (from_ == From::samples) {
      return sampled(encoded, 1, key);
    }
    SearchOptions options;
    options.beam = samples();
    options.n_best = samples();
    return found_outputs(encoded.model, encoded.decoder, encoded.source, encoded.batch, options);
  }
  /// The outputs without repetitions, and the right ones if they are wanted.
  std::vector<TaughtOutput> different(const EncodedBatch& encoded,
                                      std::vector<TaughtOutput> outputs) const {
    if (has_reference_) {
      outputs.insert(outputs.end(), encoded.right.begin(), encoded.right.end());
    }
    std::vector<TaughtOutput> kept;
    for (TaughtOutput& output : outputs) {
      if (std::find(kept.begin(), kept.end(), output) == kept.end()) {
        kept.push_back(std::move(output));
      }
    }
    return kept;
  }

  From from_ = From::samples;
  double alpha_ = 0.005;
  bool has_reference_ = true;
  std::vector<Tensor> last_;
};

}  // namespace

std::unique_ptr<Objective> minimum_risk() { return std::make_unique<MinimumRisk>(); }

}  // namespace heed
