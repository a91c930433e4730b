// A steady training step asks the system for no memory, because it reuses that of earlier steps.
#include <gtest/gtest.h>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/train/clip.h"
#include "heed/train/loss.h"
#include "heed/train/optimisers.h"
#include "tests/support/backends.h"

namespace heed::steady_step_test {
namespace {

Batch batch_of_numbers(const Place& place) {
  std::vector<std::vector<int32_t>> source;
  std::vector<std::vector<int32_t>> target;
  for (int32_t i = 0; i < 6; ++i) {
    source.emplace_back(static_cast<size_t>(3 + i % 3), 4 + i);
    target.emplace_back(static_cast<size_t>(2 + i % 4), 5 + i);
  }
  return batch_of_ids(source, target, place);
}

/// System allocations of steps 3 to 10.
int64_t asked_of_the_system(const std::string& model_settings, const Place& place,
                            const std::string& kind = "adam") {
  Model model;
  apply(model, parse_json(model_settings, "test"));
  Init init(place, 1);
  model.build(RowForm::ids(20), RowForm::ids(20), init);
  const Batch batch = batch_of_numbers(place);
  const auto parameters = distinct_parameters_of(model);
  const auto optimiser = make_part(optimisers(), kind);
  optimiser->attach(parameters);
  int64_t after_warming_up = 0;
  for (uint64_t step = 0; step < 10; ++step) {
    if (step == 3) {
      after_warming_up = place.backend->allocator().statistics().system_allocations;
    }
    Pass pass = Pass::training(1, step);
    for (const NamedParameter& parameter : parameters) {
      parameter.tensor->clear_gradient();
    }
    teacher_forcing_loss(model, batch, 0.1, pass).backward();
    optimiser->step(1e-3, clip_factor(gradient_norm(parameters), 0.01));
  }
  return place.backend->allocator().statistics().system_allocations - after_warming_up;
}

class SteadyStep : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, SteadyStep, ::testing::ValuesIn(test::places()),
                         test::name_of_place);

TEST_P(SteadyStep, OfATransformerAsksTheSystemForNothing) {
  EXPECT_EQ(asked_of_the_system(R"({"embedding": 16, "encoder": {"kind": "transformer", "width": 16,
    "dropout": 0.1}, "decoder": {"kind": "transformer", "width": 16, "dropout": 0.1}})",
                                GetParam()),
            0);
}

TEST_P(SteadyStep, WithAnyOptimiserAsksTheSystemForNothing) {
  for (const auto& entry : optimisers()) {
    EXPECT_EQ(asked_of_the_system(R"({"embedding": 16, "encoder": {"kind": "bag"}, "decoder":
      {"kind": "attend_after", "cell": "gru", "width": 8, "embedding": 8}})",
                                  GetParam(), entry.name),
              0)
        << entry.name;
  }
}

TEST_P(SteadyStep, OfARecurrentModelAsksTheSystemForNothing) {
  EXPECT_EQ(asked_of_the_system(R"({"embedding": 8, "encoder": {"kind": "lstm", "width": 8,
    "direction": "both"}, "decoder": {"kind": "attend_after", "cell": "lstm", "width": 8,
    "embedding": 8, "attention": {"score": "additive"}}})",
                                GetParam()),
            0);
}

}  // namespace
}  // namespace heed::steady_step_test
