// Hard attention learns by REINFORCE (Xu 2015 §4.1). On a case small enough to sum, two queries
// over three slots, the estimator's mean over many sampled passes,
//
//   (1/N) Σ_n [ log p(y|s_n,a) ∂ log p(s_n|a)/∂θ + ∂ log p(y|s_n,a)/∂θ ],
//
// is the exact gradient of the bound Σ_s p(s|a) log p(y|s,a). The exact side is computed here by
// plain double loops and central differences, without any code of heed.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/gather.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/softmax.h"
#include "tests/attention/rig.h"

namespace heed::test::reinforce_test {
namespace {

constexpr int64_t queries = 2;
constexpr int64_t slots = 3;
constexpr int64_t query_width = 2;
constexpr int64_t width = 3;  // of annotations
constexpr int64_t words = 3;
constexpr int64_t samples = 20000;
constexpr std::array<int32_t, queries> y = {2, 0};

/// θ, one behind the other: query, annotations, W of the bilinear score, readout, its bias.
constexpr std::array<int64_t, 5> sizes = {queries * query_width, slots* width, query_width* width,
                                          words* width, words};
constexpr int64_t components = 4 + 9 + 6 + 9 + 3;

using Theta = std::vector<double>;

Theta some_theta() {
  const Place exact{&forced("reference"), DType::f64};
  Theta theta = Tensor::random({components}, Distribution::normal, {17, 0, 0}, exact).values();
  for (double& value : theta) {
    value = std::round(value * 64) / 64;  // the same number in every element type
  }
  return theta;
}

/// log softmax(logits)[index]
double log_share(const std::array<double, 3>& logits, int64_t index) {
  double total = 0;
  for (const double logit : logits) {
    total += std::exp(logit);
  }
  return logits[static_cast<size_t>(index)] - std::log(total);
}

/// log p(s|a) of one query's slot.
double log_choice(const Theta& theta, int64_t query, int64_t slot) {
  const double* q = theta.data() + query * query_width;
  const double* a = theta.data() + sizes[0];
  const double* w = a + sizes[1];
  std::array<double, slots> e{};
  for (int64_t j = 0; j < slots; ++j) {
    for (int64_t r = 0; r < query_width; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        e[static_cast<size_t>(j)] += q[r] * w[r * width + c] * a[j * width + c];
      }
    }
  }
  return log_share(e, slot);
}

/// log p(y|s,a) of one query's word.
double log_word(const Theta& theta, int64_t query, int64_t slot) {
  const double* a = theta.data() + sizes[0];
  const double* readout = a + sizes[1] + sizes[2];
  const double* bias = readout + sizes[3];
  std::array<double, words> logits{};
  for (int64_t v = 0; v < words; ++v) {
    logits[static_cast<size_t>(v)] = bias[v];
    for (int64_t c = 0; c < width; ++c) {
      logits[static_cast<size_t>(v)] += readout[v * width + c] * a[slot * width + c];
    }
  }
  return log_share(logits, y[static_cast<size_t>(query)]);
}

/// What is summed over: a slot for each query.
struct Chosen {
  int64_t first;
  int64_t second;
  double log_choices(const Theta& theta) const {
    return log_choice(theta, 0, first) + log_choice(theta, 1, second);
  }
  double log_words(const Theta& theta) const {
    return log_word(theta, 0, first) + log_word(theta, 1, second);
  }
};

/// ∂f/∂θ_k; the error of a step of 1e-5 is about 1e-10.
template <class F>
double gradient(const F& f, const Theta& theta, size_t k) {
  constexpr double h = 1e-5;
  Theta moved = theta;
  moved[k] = theta[k] + h;
  const double ahead = f(moved);
  moved[k] = theta[k] - h;
  return (ahead - f(moved)) / (2 * h);
}

struct Exact {
  Theta gradient;   // of the bound
  Theta deviation;  // of one sample of the estimator
};

Exact by_enumeration(const Theta& theta) {
  std::vector<Chosen> every;
  for (int64_t first = 0; first < slots; ++first) {
    for (int64_t second = 0; second < slots; ++second) {
      every.push_back({first, second});
    }
  }
  const auto bound = [&](const Theta& at) {
    double total = 0;
    for (const Chosen& s : every) {
      total += std::exp(s.log_choices(at)) * s.log_words(at);
    }
    return total;
  };
  Exact exact;
  for (size_t k = 0; k < theta.size(); ++k) {
    double square = 0;
    exact.gradient.push_back(gradient(bound, theta, k));
    for (const Chosen& s : every) {
      const auto choices = [&](const Theta& at) { return s.log_choices(at); };
      const auto said = [&](const Theta& at) { return s.log_words(at); };
      const double sample =
          s.log_words(theta) * gradient(choices, theta, k) + gradient(said, theta, k);
      square += std::exp(s.log_choices(theta)) * sample * sample;
    }
    const double variance = square - exact.gradient[k] * exact.gradient[k];
    exact.deviation.push_back(std::sqrt(std::max(variance, 0.0)));
  }
  return exact;
}

/// The estimator's mean over `samples` passes, all of them rows over one memory.
Theta by_sampling(const Theta& theta, const Place& place) {
  std::vector<Tensor> leaves;
  const Shape shapes[] = {
      {queries, query_width}, {slots, width}, {query_width, width}, {words, width}, {words}};
  auto from = theta.begin();
  for (const Shape& shape : shapes) {
    const auto to = from + shape.numel();
    leaves.push_back(Tensor::of(Theta(from, to), shape, place));
    leaves.back().watch();
    from = to;
  }
  Attention attention;
  attention.choose_score("bilinear");
  attention.choose_normaliser("hard");
  Init init(place, 1);
  attention.build({query_width, width, 0}, init);
  const Tensor& weight = *parameters_of(attention)[0].tensor;  // W, the only one
  copy_values(reshape(leaves[2], weight.shape()), weight);

  std::vector<int32_t> query_of_row;
  std::vector<int32_t> word_of_row;
  for (int64_t n = 0; n < samples * queries; ++n) {
    query_of_row.push_back(static_cast<int32_t>(n % queries));
    word_of_row.push_back(y[static_cast<size_t>(n % queries)]);
  }
  const std::vector<int32_t> rows = {static_cast<int32_t>(samples * queries)};
  const std::vector<int32_t> lengths = {static_cast<int32_t>(slots)};
  const Layout layout = Layout::packed(rows, place);
  const Geometry geometry({.queries = layout, .memory_lengths = lengths, .place = place});
  const Place whole = place.with(DType::i32);
  const Tensor query = gather_rows(leaves[0], Tensor::of(query_of_row, {rows[0]}, whole));
  const Memory memory = attention.remember(leaves[1], Layout::packed(lengths, place));
  Pass pass = Pass::training(8, 1);
  const Attended seen = attend(attention, {query, geometry, memory, {}, {}}, pass);
  const Tensor log_p = log_softmax(linear(seen.context, leaves[3], leaves[4]));
  const Tensor said = pick(log_p, Tensor::of(word_of_row, {rows[0]}, whole));
  const auto by_pass = [](const Tensor& x) { return sum(reshape(x, {samples, queries}), {1}); };
  const Tensor reward = by_pass(said);
  const Tensor surrogate = reward.detached() * by_pass(seen.log_probability) + reward;
  mean(surrogate).backward();

  leaves[2] = weight;
  Theta estimate;
  for (const Tensor& leaf : leaves) {
    const std::vector<double> values = leaf.gradient().values();
    estimate.insert(estimate.end(), values.begin(), values.end());
  }
  return estimate;
}

class Reinforce : public ::testing::TestWithParam<Place> {};

// A component's error is normal to good approximation (20 000 samples of bounded size), so it
// exceeds 4.5 standard errors with probability 6.8e-6, any of the 31 with 2.1e-4; the seed is
// fixed, so the test either always passes or never.
TEST_P(Reinforce, MeanEqualsTheGradientOfTheBound) {
  const Theta theta = some_theta();
  const RanOn guard(GetParam());
  const Exact exact = by_enumeration(theta);
  const Theta estimate = by_sampling(theta, GetParam());
  ASSERT_EQ(estimate.size(), static_cast<size_t>(components));
  double strongest = 0;
  for (size_t k = 0; k < estimate.size(); ++k) {
    const double error = exact.deviation[k] / std::sqrt(static_cast<double>(samples));
    EXPECT_NEAR(estimate[k], exact.gradient[k], 4.5 * error + 1e-6) << "component " << k;
    const auto first_of_w = static_cast<size_t>(sizes[0] + sizes[1]);
    if (k >= first_of_w && k < first_of_w + static_cast<size_t>(sizes[2])) {
      strongest = std::max(strongest, std::abs(exact.gradient[k]) / error);
    }
  }
  // W affects only the choice: without the first term its gradient would be 0, which differs from
  // the right value by many standard errors.
  EXPECT_GT(strongest, 20);
}

INSTANTIATE_TEST_SUITE_P(Places, Reinforce,
                         ::testing::Values(Place{&forced("reference"), DType::f64},
                                           Place{&forced("cpu"), DType::f32},
                                           Place{&forced("far"), DType::f32}),
                         name_of_place);

}  // namespace
}  // namespace heed::test::reinforce_test
