// What tests of objectives that judge whole outputs share: a small model that has learnt a little, what
// a search of it finds, and ln p of an output with its derivative by the bias of the output layer,
//
//   ∂ ln p(y) / ∂b = Σ_t (1_{y_t} − p_t)     p: over the words that can be drawn
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "heed/data/token_items.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/softmax.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "heed/train/objective/outputs.h"
#include "heed/train/objectives.h"
#include "tests/train/small_run.h"

namespace heed::test::judged {

inline const Place exact{&forced("reference"), DType::f64};
inline const RandomKey key{3, 4, 5};
inline constexpr int64_t sentences = 4;
inline constexpr double never = -std::numeric_limits<double>::infinity();

inline std::unique_ptr<Objective> made(SmallRun& run, const std::string& kind,
                                       const std::string& settings) {
  auto objective = make_part(objectives(), kind);
  apply(*objective, parse_json(settings, "test"));
  objective->attach(*run.trained.model);
  objective->see(run.train);
  return objective;
}

/// A model that has learnt a little, so that some outputs are better than others.
inline std::unique_ptr<SmallRun> begun(int64_t steps = 40) {
  auto run = std::make_unique<SmallRun>(R"({"steps": 40, "validate_every": 0})", "{}", exact);
  Stepper stepper(run->training, *run->trained.model, run->train);
  for (int64_t step = 0; step < steps; ++step) {
    stepper.take({step, step, 0});
  }
  for (const NamedParameter& parameter : distinct_parameters_of(*run->trained.model)) {
    parameter.tensor->clear_gradient();
  }
  return run;
}

/// What a search of the model finds, as an objective would find it.
inline std::vector<TaughtOutput> found(const SmallRun& run, const SearchOptions& options) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Batch batch = run.batch(sentences);
  const Model& model = *run.trained.model;
  return found_outputs(model, model.autoregressive(), model.encode(batch.source, pass), batch,
                       options);
}

inline SearchOptions sampling(int64_t samples, double temperature = 1) {
  SearchOptions options;
  options.strategy = "sample";
  options.strategies.set("temperature", temperature);
  options.n_best = samples;
  options.seed = Draws(key).bits64(0);
  return options;
}

/// The share of right tokens: the metric token_accuracy of one sentence.
inline double share_right(const std::vector<TokenId>& said, const std::vector<TokenId>& right) {
  double same = 0;
  for (size_t i = 0; i < std::min(said.size(), right.size()); ++i) {
    same += said[i] == right[i] ? 1 : 0;
  }
  return same / static_cast<double>(std::max(said.size(), right.size()));
}

inline std::vector<TokenId> right_ids(const SmallRun& run, int32_t sentence) {
  const std::span<const TokenId> ids = ids_of(run.train.target(sentence));
  return {ids.begin(), ids.end()};
}

/// ln p of every word but the start token, which cannot be drawn, at a temperature.
inline Tensor drawn_log_p(const Tensor& logits, double temperature = 1) {
  const auto words = static_cast<size_t>(logits.size(1));
  std::vector<double> tempered = affine(logits, 1 / temperature).values();
  for (size_t row = 0; row < tempered.size(); row += words) {
    tempered[row + static_cast<size_t>(SpecialTokens().start())] = never;
  }
  return log_softmax(Tensor::of(tempered, logits.shape(), exact));
}

/// ln p of one output at a temperature and its derivative by the output layer's bias, by teaching it
/// alone.
struct ByHand {
  ByHand(const SmallRun& run, const TaughtOutput& output, double temperature = 1) {
    const int64_t which[] = {output.sentence};
    BatchItems items = run.train.items(which);
    items.target = {item_of(output.ids)};
    const NoGrad no_gradients;
    Pass pass = Pass::serving();
    const Tensor logits = run.trained.model->teach(make_batch(items, exact), {}, pass).logits;
    const auto words = static_cast<size_t>(logits.size(1));
    const std::vector<double> all = drawn_log_p(logits, temperature).values();
    slope.assign(words, 0);
    const size_t rows = output.ids.size() + (output.ended ? 1 : 0);
    for (size_t t = 0; t < rows; ++t) {
      const auto word =
          static_cast<size_t>(t < output.ids.size() ? output.ids[t] : SpecialTokens().end());
      log_probability += all[t * words + word];
      for (size_t v = 0; v < words; ++v) {
        slope[v] += ((v == word ? 1 : 0) - std::exp(all[t * words + v])) / temperature;
      }
    }
  }
  double log_probability = 0;
  std::vector<double> slope;
};

/// The bias of the output layer.
inline Tensor output_bias(const SmallRun& run) {
  for (const NamedParameter& parameter : parameters_of(*run.trained.model)) {
    if (parameter.name == "decoder.output.bias") {
      return *parameter.tensor;
    }
  }
  ADD_FAILURE() << "there is no output bias";
  return {};
}

inline std::vector<double> bias_gradient(const SmallRun& run) {
  return output_bias(run).gradient().values();
}

inline Tensor loss_of(const SmallRun& run, Objective& objective, const Batch& batch,
                      const RandomKey& drawn_by = key) {
  const Decoded nothing;
  return objective({batch, nothing, 0, run.trained.model.get(), drawn_by});
}

}  // namespace heed::test::judged
