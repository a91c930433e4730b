// How noisy the gradient of hard attention is, and what it costs.
//
//   bench_estimators [STEPS [DRAWS]]
//
// A small model (attend_after without input feeding, so that every estimator applies) is trained on dates for
// STEPS (300) by the exact sum over slots. With its weights, each way of training gives DRAWS (100) gradients,
// and for each the table has
//
//   draws      tr Cov(g) / ‖E g‖² over draws of the slots, for one batch of 64 sentences
//   batches    the same over different batches, each drawn once
//   cosine     between E g over the draws and the exact gradient of p(y | x) = Π_i Σ_j α_ij p(y_i | j)
//   ms         processor time of one gradient
//
// The moving average of rewards is settled on other batches first. The objective of REINFORCE is a bound of
// the exact sum, so that its mean gradient is another one (Xu 2015, equation 10).
#include <fmt/core.h>
#include <time.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/data/examples.h"
#include "heed/data/learn_fields.h"
#include "heed/engine/shelf/place.h"
#include "heed/train/step.h"
#include "heed/train/training.h"

namespace heed {
namespace {

using Gradient = std::vector<double>;

constexpr int64_t batch_sentences = 64;

struct Way {
  const char* name;
  const char* normaliser;
  const char* objectives;
};
constexpr const char* exact_sum = R"("marginal")";
const Way ways[] = {
    {"soft (softmax), teacher forcing", R"("softmax")", R"("teacher_forcing")"},
    {"hard, exact sum (`marginal`)", R"("hard")", exact_sum},
    {"hard, straight-through (`gumbel`)", R"("gumbel")", R"("teacher_forcing")"},
    {"hard, REINFORCE, reward = word", R"("hard")",
     R"(["teacher_forcing", {"kind": "reinforce", "reward": "word"}])"},
    {"hard, REINFORCE, reward = rest", R"("hard")",
     R"(["teacher_forcing", {"kind": "reinforce", "reward": "rest"}])"},
    {"hard, REINFORCE, reward = output", R"("hard")",
     R"(["teacher_forcing", {"kind": "reinforce", "reward": "output"}])"},
    {"hard, REINFORCE, reward = output, baseline of the last batch alone", R"("hard")",
     R"(["teacher_forcing", {"kind": "reinforce", "reward": "output", "baseline": 0}])"},
    {"half of the sources soft, REINFORCE, reward = rest", R"({"kind": "hard", "mix": 0.5})",
     R"(["teacher_forcing", {"kind": "reinforce", "reward": "rest"}])"},
};

double dot(const Gradient& a, const Gradient& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A model and what teaches it; the weights come from another.
class Learner {
 public:
  Learner(const Way& way, const Corpus& data, const Place& place) : data_(data) {
    apply(model_, parse_json(fmt::format(R"({{"embedding": 32,
      "encoder": {{"kind": "gru", "direction": "both", "width": 32}},
      "decoder": {{"kind": "attend_after", "cell": "gru", "embedding": 32, "width": 64,
        "input_feeding": false, "attention": {{"score": "additive", "normaliser": {}}}}}}})",
                                         way.normaliser),
                             "bench"));
    apply(training_, parse_json(fmt::format(R"({{"steps": 100000, "batch_sentences": {}, "seed": 1,
      "objectives": {}, "optimiser": {{"kind": "adam", "learning_rate": 0.004}}}})",
                                            batch_sentences, way.objectives),
                                "bench"));
    Init init(place, 1);
    model_.build(data.fields(), init);
    training_.objectives.attach(model_);
  }

  void train(int64_t steps) {
    Stepper stepper(training_, model_, data_);
    for (int64_t step = 0; step < steps; ++step) {
      stepper.take({step, step, 0});
    }
  }
  void take_weights(Learner& from) {
    const auto theirs = distinct_parameters_of(from.model_);
    const auto own = distinct_parameters_of(model_);
    for (size_t i = 0; i < own.size(); ++i) {
      copy_values(*theirs[i].tensor, *own[i].tensor);
    }
  }
  /// Gradients of other batches, for the moving average of rewards.
  void settle() {
    for (uint64_t k = 0; k < 30; ++k) {
      training_.objectives.begin();
      gradient(1000 + static_cast<int64_t>(k), k);
      training_.objectives.follow();
    }
    training_.objectives.begin();
  }
  /// Of the batch with this number, by the draw with this number.
  Gradient gradient(int64_t batch, uint64_t draw) {
    std::vector<int64_t> which;
    for (int64_t i = 0; i < batch_sentences; ++i) {
      which.push_back((batch * batch_sentences + i) % data_.size());
    }
    for (const NamedParameter& parameter : distinct_parameters_of(model_)) {
      parameter.tensor->clear_gradient();
    }
    const Batch made = make_batch(data_.items(which), model_.place());
    Pass pass = Pass::training(7, draw + 1);
    training_.objectives({model_, made, {0, 100000, 0}, 0, nullptr, {7, draw + 1, 0}}, pass)
        .total.backward();
    Gradient all;
    for (const NamedParameter& parameter : distinct_parameters_of(model_)) {
      const std::vector<double> one =
          parameter.tensor->gradient().defined()
              ? parameter.tensor->gradient().values()
              : std::vector<double>(static_cast<size_t>(parameter.tensor->numel()), 0);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

 private:
  const Corpus& data_;
  Model model_;
  Training training_;
};

struct Noise {
  Gradient mean;
  double relative = 0;  // tr Cov / ‖mean‖²
  double seconds = 0;   // of one
};

Noise noise(Learner& learner, int64_t draws, bool same_batch) {
  Noise found;
  double squares = 0;
  const double began = cpu_seconds();
  for (int64_t k = 0; k < draws; ++k) {
    const Gradient one = learner.gradient(same_batch ? 0 : k, static_cast<uint64_t>(k));
    found.mean.resize(one.size(), 0);
    for (size_t i = 0; i < one.size(); ++i) {
      found.mean[i] += one[i] / static_cast<double>(draws);
    }
    squares += dot(one, one);
  }
  found.seconds = (cpu_seconds() - began) / static_cast<double>(draws);
  const auto n = static_cast<double>(draws);
  const double of_mean = dot(found.mean, found.mean);
  const double trace = std::max((squares - n * of_mean) / (n - 1), 0.0);
  // ‖mean‖² itself is too large by trace / n.
  found.relative = trace / std::max(of_mean - trace / n, 1e-300);
  return found;
}

int measure(int64_t steps, int64_t draws) {
  const Place place = place_on("cpu");
  const std::vector<Example> examples = made_up_examples({"dates", 1, Split::train, 20000});
  const Fields fields = learn_fields(examples, {});
  const Corpus data(examples, fields);
  Learner exact(ways[1], data, place);
  exact.train(steps);
  const Gradient right = exact.gradient(0, 0);
  fmt::print("| way | draws | batches | cosine | ms |\n|---|---|---|---|---|\n");
  for (const Way& way : ways) {
    Learner learner(way, data, place);
    learner.take_weights(exact);
    learner.settle();
    const Noise of_draws = noise(learner, draws, true);
    const Noise of_batches = noise(learner, draws, false);
    const double cosine = dot(of_draws.mean, right) /
                          std::sqrt(dot(of_draws.mean, of_draws.mean) * dot(right, right));
    fmt::print("| {} | {:.3g} | {:.3g} | {:.3f} | {:.0f} |\n", way.name, of_draws.relative,
               of_batches.relative, cosine, 1000 * of_draws.seconds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace heed

int main(int count, char** words) {
  try {
    return heed::measure(count > 1 ? std::stoll(words[1]) : 300,
                         count > 2 ? std::stoll(words[2]) : 100);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_estimators: {}\n", error.what());
    return 1;
  }
}
