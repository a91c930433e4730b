// Compares every score, normaliser and focus with numbers worked out by hand from its paper's
// formula. A listed part without numbers here fails, and so does one with a wrong sign, which tests
// that compare a part with itself (its kernel, its gradient, its steps) cannot find.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/config/apply.h"
#include "heed/ops/broadcast.h"
#include "tests/support/backends.h"

namespace heed::test::by_hand_test {
namespace {

using Numbers = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double near = 2e-6;

void expect_numbers(const Tensor& seen, const Numbers& expected) {
  const Numbers values = seen.values();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], near) << "number " << i;
  }
}

/// Sets the parameters of a built part by name; all must be given.
void set_parameters(Module& part, const std::map<std::string, Numbers>& values) {
  for (const NamedParameter& parameter : parameters_of(part)) {
    const auto found = values.find(parameter.name);
    ASSERT_NE(found, values.end()) << "give a value for " << parameter.name;
    const Tensor& tensor = *parameter.tensor;
    copy_values(Tensor::of(found->second, tensor.shape(), tensor.place()), tensor);
  }
}

/// One worked example of a part.
struct Example {
  std::string settings = "{}";
  std::map<std::string, Numbers> parameters = {};
  Numbers expected = {};
};

/// Examples for every entry, or the test fails.
template <class Part>
std::vector<std::pair<std::string, Example>> worked_out(
    const Catalogue<Part>& catalogue, const std::map<std::string, std::vector<Example>>& examples) {
  std::vector<std::pair<std::string, Example>> all;
  for (const auto& entry : catalogue) {
    const auto found = examples.find(entry.name);
    if (found == examples.end()) {
      ADD_FAILURE() << catalogue.name() << " " << entry.name
                    << ": work out an example by hand, and give it here";
      continue;
    }
    for (const Example& example : found->second) {
      all.emplace_back(entry.name, example);
    }
  }
  return all;
}

template <class Part>
std::unique_ptr<Part> made(const Catalogue<Part>& catalogue, const std::string& name,
                           const Example& example) {
  std::unique_ptr<Part> part = make_part(catalogue, name);
  apply(*part, parse_json(example.settings, name));
  return part;
}

// --- scores: q = (1, 2);  k_0 = (1, 0), k_1 = (0, 1), k_2 = (−3, 1);  α_{i−1} = (½, ¼, ¼) ---

const std::map<std::string, std::vector<Example>> score_examples = {
    // qᵀk:  1·1 + 2·0 = 1,  1·0 + 2·1 = 2,  1·(−3) + 2·1 = −1.
    {"dot", {{.expected = {1, 2, -1}}}},
    // The same divided by √2.
    {"scaled_dot", {{.expected = {0.70710678, 1.41421356, -0.70710678}}}},
    // qᵀW = (1, 2) [[1, 2], [0, −1]] = (1, 0);  (1, 0)·k = 1, 0, −3.
    {"bilinear", {{.parameters = {{"weight", {1, 2, 0, -1}}}, .expected = {1, 0, -3}}}},
    // ‖q‖ = √5, ‖k‖ = 1, 1, √10:  1/√5, 2/√5, −1/√50;  twice that where t = e^{ln 2} = 2.
    {"cosine",
     {{.settings = R"({"temperature": false})", .expected = {0.44721360, 0.89442719, -0.14142136}},
      {.parameters = {{"log_temperature", {0.69314718}}},
       .expected = {0.89442719, 1.78885438, -0.28284271}}}},
    // W_q q = (1·1, ½·2) = (1, 1), W_k = 1, b = (0, −1):  f of (2, 0), (1, 1), (−2, 1);  v = (1, −2).
    //   tanh 2 = 0.96402758, tanh 1 = 0.76159416:
    //   0.96402758,  0.76159416 − 2·0.76159416,  −0.96402758 − 2·0.76159416.
    //   relu:  2,  1 − 2,  0 − 2.
    {"additive",
     {{.settings = R"({"width": 2})",
       .parameters =
           {{"query", {1, 0, 0, 0.5}}, {"key", {1, 0, 0, 1}}, {"b", {0, -1}}, {"v", {1, -2}}},
       .expected = {0.96402758, -0.76159416, -2.48721590}},
      {.settings = R"({"width": 2, "activation": "relu"})",
       .parameters =
           {{"query", {1, 0, 0, 0.5}}, {"key", {1, 0, 0, 1}}, {"b", {0, -1}}, {"v", {1, -2}}},
       .expected = {2, -1, -2}}}},
    // (1, 2) [[1, 0, 2], [0, 1, −1]] = (1, 2, 0).
    {"location",
     {{.settings = R"({"slots": 3})",
       .parameters = {{"weight", {1, 0, 2, 0, 1, -1}}},
       .expected = {1, 2, 0}}}},
    // F = (1, 0, −1) over (α_{j−1}, α_j, α_{j+1}):  f = 0 − ¼, ½ − ¼, ¼ − 0;  U = 2.
    // W_q q = 1, W_k k = 0, 1, 1, b = −1:  tanh of 1 + 0 − ½ − 1 = −½,  1 + 1 + ½ − 1 = 1½,  1½;  v = 3.
    //   3 tanh ½ = 3 · 0.46211716,  3 tanh 1½ = 3 · 0.90514825.
    {"location_aware",
     {{.settings = R"({"width": 1, "filters": 1, "reach": 1})",
       .parameters = {{"query", {1, 0}},
                      {"key", {0, 1}},
                      {"filter", {1, 0, -1}},
                      {"feature", {2}},
                      {"v", {3}},
                      {"b", {-1}}},
       .expected = {-1.38635147, 2.71544475, 2.71544475}}}},
};

class ByHand : public ::testing::TestWithParam<Place> {};

TEST_P(ByHand, EveryScore) {
  const Place place = GetParam();
  const Tensor query = Tensor::of(Numbers{1, 2}, {1, 1, 1, 1, 2}, place);
  const Tensor keys = Tensor::of(Numbers{1, 0, 0, 1, -3, 1}, {1, 1, 3, 2}, place);
  const Tensor past = Tensor::of(Numbers{0.5, 0.25, 0.25}, {1, 1, 1, 1, 3}, place);
  for (const auto& [name, example] : worked_out(scores(), score_examples)) {
    SCOPED_TRACE(name + " " + example.settings);
    const std::unique_ptr<Score> score = made(scores(), name, example);
    Init init(place, 1);
    score->build({.query = 2, .key = 2}, init);
    set_parameters(*score, example.parameters);
    expect_numbers((*score)(score->prepare_query(query, nullptr), score->prepare(keys), past),
                   example.expected);
  }
}

// --- normalisers: e = (1, 2, 0, −∞), n = 3 ---

const std::map<std::string, std::vector<Example>> normaliser_examples = {
    // e, e², 1 by their sum 2.71828183 + 7.38905610 + 1 = 11.10733793.
    {"softmax", {{.expected = {0.24472847, 0.66524096, 0.09003057, 0}}}},
    // (1, 2, 0) as it is, by n = 3, by its sum 3 (the same here), and see the next row of numbers.
    {"relu",
     {{.settings = R"({"divide": "nothing"})", .expected = {1, 2, 0, 0}},
      {.settings = R"({"divide": "count"})", .expected = {1.0 / 3, 2.0 / 3, 0, 0}},
      {.settings = R"({"divide": "sum"})", .expected = {1.0 / 3, 2.0 / 3, 0, 0}}}},
    // σ(e − ln 3) = 1 / (1 + 3 e^{−e}):  1/2.10363832, 1/1.40600585, 1/4.  Without ln n, b = −1: σ(0), σ(1), σ(−1).
    {"sigmoid",
     {{.expected = {0.47536689, 0.71123460, 0.25, 0}},
      {.settings = R"({"bias": -1.0, "subtract_log_count": false})",
       .expected = {0.5, 0.73105858, 0.26894142, 0}}}},
    // Sorted 2, 1, 0:  τ_1 = 2 − 1 = 1, and 1 > τ_2 = (3 − 1)/2 = 1 does not hold: all on the largest.
    {"sparsemax", {{.expected = {0, 1, 0, 0}}}},
    // x = e/2 = ½, 1, 0:  τ_2 = ¾ − √((1 − 2 · 1/16) / 2) = 0.08856217;  (½ − τ)², (1 − τ)².
    {"entmax15", {{.expected = {0.16928109, 0.83071891, 0, 0}}}},
    // Softmax of the two largest: 1/(1 + e), e/(1 + e).
    {"topk", {{.settings = R"({"k": 2})", .expected = {0.26894142, 0.73105858, 0, 0}}}},
    // When decoding, all on the largest.
    {"gumbel", {{.expected = {0, 1, 0, 0}}}},
    {"hard", {{.expected = {0, 1, 0, 0}}}},
};

TEST_P(ByHand, EveryNormaliser) {
  const Place place = GetParam();
  const Tensor scores = Tensor::of(Numbers{1, 2, 0, -infinity}, {1, 1, 1, 1, 4}, place);
  const Tensor count = Tensor::full({1, 1, 1, 1, 1}, 3, place);
  for (const auto& [name, example] : worked_out(normalisers(), normaliser_examples)) {
    SCOPED_TRACE(name + " " + example.settings);
    Pass pass = Pass::serving();
    const Normalised seen = (*made(normalisers(), name, example))(scores, count, pass);
    expect_numbers(seen.weights, example.expected);
    if (seen.log_probability.defined()) {
      expect_numbers(seen.log_probability, {std::log(0.66524096)});  // softmax's, above
    }
  }
}

TEST_P(ByHand, MoreThanOneSlotOfSparsemaxAndReluBySum) {
  // Sorted 1, ½, −¼:  τ_2 = (1½ − 1)/2 = ¼ < ½, τ_3 = (1¼ − 1)/3 > −¼;  max(0, e − ¼).
  const Tensor scores = Tensor::of(Numbers{0.5, 1, -0.25}, {1, 1, 1, 1, 3}, GetParam());
  const Tensor count = Tensor::full({1, 1, 1, 1, 1}, 3, GetParam());
  Pass pass = Pass::serving();
  expect_numbers((*make_part(normalisers(), "sparsemax"))(scores, count, pass).weights,
                 {0.25, 0.75, 0});
  const Example by_sum{.settings = R"({"divide": "sum"})"};
  expect_numbers((*made(normalisers(), "relu", by_sum))(scores, count, pass).weights,
                 {1.0 / 3, 2.0 / 3, 0});
}

// --- focuses: rows i = 0, 1, 2 over a memory of 4 slots; q = (1, 2) in every row;
//     α_{i−1} = (0.1, 0.6, 0.2, 0.1) in every row ---

/// lo, hi and n of each row; then bias [3, 4] and centres [3], where there are any.
struct Outlook {
  std::string settings = "{}";
  std::map<std::string, Numbers> parameters = {};
  Numbers lo = {};
  Numbers hi = {};
  Numbers count = {4, 4, 4};
  Numbers bias = {};
  Numbers centre = {};
};

const std::map<std::string, std::vector<Outlook>> focus_examples = {
    {"everywhere", {{.lo = {0, 0, 0}, .hi = {4, 4, 4}}}},
    // j ≤ i: 1, 2, 3 slots.
    {"causal", {{.lo = {0, 0, 0}, .hi = {1, 2, 3}, .count = {1, 2, 3}}}},
    // j < i: 0, 1, 2 slots.
    {"strictly_causal", {{.lo = {0, 0, 0}, .hi = {0, 1, 2}, .count = {0, 1, 2}}}},
    // i − 1 ≤ j ≤ i.
    {"window", {{.settings = R"({"left": 1, "right": 0})", .lo = {0, 0, 1}, .hi = {1, 2, 3}}}},
    // i − 1 ≤ j ≤ i + 1.
    {"local_m", {{.settings = R"({"D": 1})", .lo = {0, 0, 1}, .hi = {2, 3, 4}}}},
    // W_p = 1, v_p = (2, 0):  σ(2 tanh 1) = σ(1.52318831) = 0.82100750, p = 3 σ = 2.46302249;
    // j from 1.46 to 3.46: slots 2 and 3.
    {"local_p",
     {{.settings = R"({"D": 1})",
       .parameters = {{"weight", {1, 0, 0, 1}}, {"v", {2, 0}}},
       .lo = {2, 2, 2},
       .hi = {4, 4, 4},
       .centre = {2.46302249, 2.46302249, 2.46302249}}}},
    // The step before looked most at slot 1.
    {"monotonic", {{.lo = {1, 1, 1}, .hi = {4, 4, 4}}}},
    // alibi: one head of one, m = 2^(−8/1) = 1/256;  −m |i − j|.
    // diagonal: −(j − i)² / (2 · 1²).
    // relative: bidirectional, 4 buckets: two for j ≤ i (0: j = i, 1: before), two for j > i (2 would be
    // j = i again and stays empty, 3: after);  b = (10, 20, 30, 40).
    {"prior",
     {{.lo = {0, 0, 0},
       .hi = {4, 4, 4},
       .bias = {0, -1.0 / 256, -2.0 / 256, -3.0 / 256, -1.0 / 256, 0, -1.0 / 256, -2.0 / 256,
                -2.0 / 256, -1.0 / 256, 0, -1.0 / 256}},
      {.settings = R"({"shape": "diagonal", "ratio": 1.0, "width": 1.0})",
       .lo = {0, 0, 0},
       .hi = {4, 4, 4},
       .bias = {0, -0.5, -2, -4.5, -0.5, 0, -0.5, -2, -2, -0.5, 0, -0.5}},
      {.settings = R"({"shape": "relative", "buckets": 4, "distance": 8})",
       .parameters = {{"table", {10, 20, 30, 40}}},
       .lo = {0, 0, 0},
       .hi = {4, 4, 4},
       .bias = {10, 40, 40, 40, 20, 10, 40, 40, 20, 20, 10, 40}}}},
};

TEST_P(ByHand, EveryFocus) {
  const Place place = GetParam();
  const std::vector<int32_t> rows = {3};
  const std::vector<int32_t> memory = {4};
  const Geometry geometry(
      {.queries = Layout::packed(rows, place), .memory_lengths = memory, .place = place});
  const Tensor query = Tensor::of(Numbers{1, 2, 1, 2, 1, 2}, {1, 1, 1, 3, 2}, place);
  const Tensor past = Tensor::of(
      Numbers{0.1, 0.6, 0.2, 0.1, 0.1, 0.6, 0.2, 0.1, 0.1, 0.6, 0.2, 0.1}, {1, 1, 1, 3, 4}, place);
  const Shape of_rows{1, 1, 1, 3};
  for (const auto& entry : focuses()) {
    const auto found = focus_examples.find(entry.name);
    ASSERT_NE(found, focus_examples.end()) << "focus " << entry.name << ": work out an example by "
                                           << "hand, and give it here";
    for (const Outlook& expected : found->second) {
      SCOPED_TRACE(entry.name + " " + expected.settings);
      std::vector<std::unique_ptr<Focus>> parts;
      parts.push_back(made(focuses(), entry.name, {.settings = expected.settings}));
      Init init(place, 1);
      parts[0]->build({.query = 2}, init);
      set_parameters(*parts[0], expected.parameters);
      const Where where = where_to_look(parts, {geometry, query, past, 4, false});
      expect_numbers(broadcast_to(where.lo, of_rows), expected.lo);
      expect_numbers(broadcast_to(where.hi, of_rows), expected.hi);
      expect_numbers(broadcast_to(where.count, of_rows), expected.count);
      ASSERT_EQ(where.bias.defined(), !expected.bias.empty());
      if (where.bias.defined()) {
        expect_numbers(broadcast_to(where.bias, {1, 1, 1, 3, 4}), expected.bias);
      }
      ASSERT_EQ(where.centre.defined(), !expected.centre.empty());
      if (where.centre.defined()) {
        expect_numbers(broadcast_to(where.centre, of_rows), expected.centre);
        EXPECT_EQ(where.sigma, 0.5);  // D/2
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Places, ByHand, ::testing::ValuesIn(places()), name_of_place);

}  // namespace
}  // namespace heed::test::by_hand_test
