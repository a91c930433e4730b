// Every score, normaliser and focus over the thousands of slots that a recording has: the vector backend in
// f32 against the plain one in f64.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::long_sources_slow_test {
namespace {

constexpr int64_t slots = 3001;
constexpr int64_t width = 8;

std::unique_ptr<Model> model_of(const std::string& attention, const Place& place) {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"front": {"kind": "frames", "project": false, "normalise": false},
    "encoder": "identity", "decoder": {"kind": "attend_first", "width": 8, "embedding": 8,
    "attention": )" + attention +
                               "}}",
                           "test"));
  Init init(place, 21);
  model->build(RowForm::numbers(width), RowForm::ids(target_words), init);
  return model;
}

/// Gives `to` the values of `from`, exactly.
void copy_parameters(Model& from, Model& to, const Place& place) {
  const auto given = parameters_of(from);
  const auto taken = parameters_of(to);
  ASSERT_EQ(given.size(), taken.size());
  for (size_t i = 0; i < given.size(); ++i) {
    *taken[i].tensor = Tensor::of(given[i].tensor->values(), given[i].tensor->shape(), place);
  }
}

struct Seen {
  std::vector<double> logits;
  std::vector<double> weights;  // of each word over all slots
};

Seen seen(const Model& model, const Place& place) {
  Batch batch = batch_of_ids({{}}, {{4, 5, 6}}, place);
  std::vector<double> rows;
  const Draws draws({.seed = 3});
  for (uint64_t i = 0; i < static_cast<uint64_t>(slots * width); ++i) {
    rows.push_back(static_cast<double>(draws.normal(i)));
  }
  batch.source = {Tensor::of(rows, {slots, width}, place),
                  Layout::packed(std::vector<int32_t>{slots}, place)};
  Pass pass = Pass::serving();
  const NoGrad no_grad;
  const Decoded said = model.teach(batch, {.weights = true}, pass);
  return {said.logits.values(), said.reports.front().weights.values()};
}

TEST(LongSources, EveryAttentionOverThousandsOfSlots) {
  const Place exact{&forced("reference"), DType::f64};
  const Place fast{&forced("cpu"), DType::f32};
  for (const auto& score : scores()) {
    const std::string scored = score.name == "location" ? R"({"kind": "location", "slots": 4096})"
                                                        : '"' + score.name + '"';
    for (const auto& normaliser : normalisers()) {
      for (const auto& focus : focuses()) {
        const std::string what = score.name + " " + normaliser.name + " " + focus.name;
        const std::string attention = R"({"score": )" + scored + R"(, "normaliser": ")" +
                                      normaliser.name + R"(", "focus": [")" + focus.name + "\"]}";
        const auto quick = model_of(attention, fast);
        const auto plain = model_of(attention, exact);
        copy_parameters(*quick, *plain, exact);
        const Seen got = seen(*quick, fast);
        const Seen expected = seen(*plain, exact);
        ASSERT_EQ(got.weights.size(), expected.weights.size()) << what;
        ASSERT_EQ(got.weights.size() % slots, 0U) << what;
        // With local_p, p = (n − 1) σ(…) has up to n / 4 times the rounding of its argument. It moves
        // the context, which the next word's p depends on in turn: only the first word is compared.
        const bool is_fed_back = focus.name == "local_p";
        for (size_t i = 0; i < (is_fed_back ? slots : got.weights.size()); ++i) {
          ASSERT_NEAR(got.weights[i], expected.weights[i], 2e-5 + 1e-3 * expected.weights[i])
              << what << ", word " << i / slots << ", slot " << i % slots;
        }
        const size_t logits = is_fed_back ? target_words : got.logits.size();
        for (size_t i = 0; i < logits; ++i) {
          ASSERT_NEAR(got.logits[i], expected.logits[i], 1e-3) << what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::test::long_sources_slow_test
