#include "heed/train/gradient_tree.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/ops/arithmetic.h"
#include "heed/train/loss.h"
#include "heed/train/step.h"
#include "tests/train/small_run.h"

namespace heed::gradient_tree_test {
namespace {

using test::SmallRun;
using Numbers = std::vector<float>;

Numbers operator+(const Numbers& a, const Numbers& b) {
  Numbers sum(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    sum[i] = a[i] + b[i];
  }
  return sum;
}

/// Every gradient, one behind the other; zeros where there is none.
Numbers gradients_of(const std::vector<NamedParameter>& parameters) {
  Numbers all;
  for (const NamedParameter& parameter : parameters) {
    const Tensor gradient = parameter.tensor->gradient();
    const Numbers some = gradient.defined()
                             ? gradient.values<float>()
                             : Numbers(static_cast<size_t>(parameter.tensor->numel()));
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

constexpr const char* model =
    R"({"embedding": 8, "dropout": 0, "share_embeddings": true, "encoder": {"kind": "gru", "width": 6},
        "decoder": {"kind": "attend_first", "width": 6, "embedding": 8}})";

SmallRun run_of(int64_t accumulate, const Place& place) {
  return SmallRun(fmt::format(R"({{"accumulate": {}, "batch_sentences": 5}})", accumulate), model,
                  place);
}

/// The gradients of the first `count` batches, each alone, with its share of the tokens.
std::vector<Numbers> apart(int64_t count, const Place& place) {
  SmallRun run = run_of(count, place);
  const std::vector<NamedParameter> parameters = trained_parameters_of(*run.trained.model);
  PrefetchedBatches batches(run.train, run.training.batch_options(), place);
  std::vector<Batch> all;
  int64_t tokens = 0;
  for (int64_t k = 0; k < count; ++k) {
    all.push_back(batches.at(k).batch.uploaded());
    tokens += all.back().target_tokens();
  }
  std::vector<Numbers> gradients;
  for (const Batch& batch : all) {
    for (const NamedParameter& parameter : parameters) {
      parameter.tensor->clear_gradient();
    }
    Pass pass = Pass::serving();
    const double share = static_cast<double>(batch.target_tokens()) / static_cast<double>(tokens);
    (teacher_forcing_loss(*run.trained.model, batch, 0, pass) * share).backward();
    gradients.push_back(gradients_of(parameters));
  }
  return gradients;
}

Numbers together(int64_t count, const Place& place) {
  SmallRun run = run_of(count, place);
  Stepper stepper(run.training, *run.trained.model, run.train);
  stepper.take({});
  return gradients_of(trained_parameters_of(*run.trained.model));
}

TEST(GradientTree, AStepAddsItsBatchesInTheOrderOfATree) {
  using Sum = std::function<Numbers(const std::vector<Numbers>&)>;
  const std::vector<std::pair<int64_t, Sum>> sums = {
      {2, [](const auto& g) { return g[0] + g[1]; }},
      {3, [](const auto& g) { return (g[0] + g[1]) + g[2]; }},
      {4, [](const auto& g) { return (g[0] + g[1]) + (g[2] + g[3]); }},
      {7, [](const auto& g) { return ((g[0] + g[1]) + (g[2] + g[3])) + ((g[4] + g[5]) + g[6]); }}};
  for (const char* backend : {"cpu", "reference", "far"}) {
    const Place place{&test::forced(backend), DType::f32};
    for (const auto& [count, sum] : sums) {
      EXPECT_EQ(together(count, place), sum(apart(count, place))) << backend << " " << count;
    }
  }
}

/// While one more is computed, at most ⌊log2 n⌋ sets wait.
TEST(GradientTree, HoldsFewSets) {
  Tensor weight = Tensor::zeros({2}, {&test::forced("cpu"), DType::f32});
  weight.watch();
  const std::vector<NamedParameter> parameters = {{"weight", &weight}};
  for (const auto& [count, most] : {std::pair{1, 0}, {2, 1}, {4, 2}, {7, 2}, {64, 6}, {100, 6}}) {
    GradientTree tree(parameters);
    int64_t held = 0;
    for (int k = 0; k < count; ++k) {
      held = std::max(held, tree.held());
      weight.set_gradient(Tensor::full({2}, k, weight.place()));
      tree.take();
      EXPECT_FALSE(weight.gradient().defined());
    }
    EXPECT_LE(held, most) << count;
    tree.give();
    EXPECT_EQ(weight.gradient().values<float>(), Numbers(2, count * (count - 1) / 2)) << count;
  }
}

/// Not every batch reaches every parameter.
TEST(GradientTree, AddsWhereOnlySomeBatchesHaveAGradient) {
  const Place place{&test::forced("cpu"), DType::f32};
  Tensor weight = Tensor::zeros({1}, place);
  Tensor other = Tensor::zeros({1}, place);
  weight.watch();
  other.watch();
  const std::vector<NamedParameter> parameters = {{"weight", &weight}, {"other", &other}};
  GradientTree tree(parameters);
  for (int k = 0; k < 3; ++k) {
    if (k == 1) {
      weight.set_gradient(Tensor::full({1}, 5, place));
    }
    tree.take();
  }
  tree.give();
  EXPECT_EQ(weight.gradient().item(), 5);
  EXPECT_FALSE(other.gradient().defined());
}

}  // namespace
}  // namespace heed::gradient_tree_test
