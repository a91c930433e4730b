// bf16 that computes, on the backend that does it by rounding: every operator's values and gradients against
// f64 at the same inputs, and what stays f32.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/ops/embedding.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/weight.h"
#include "tests/ops/cases_a.h"
#include "tests/ops/cases_b.h"
#include "tests/support/recording_backend.h"

namespace heed::test::bf16_test {
namespace {

Place exact() { return {&forced("reference"), DType::f64}; }
Place low() { return {&forced("reference"), DType::bf16}; }

std::vector<OpCase> all_cases() {
  std::vector<OpCase> all = cases_a();
  for (const OpCase& op : cases_b()) {
    all.push_back(op);
  }
  return all;
}

/// How far values are from what was expected, by their norms. The infinite ones must agree.
double distance(const std::vector<double>& actual, const std::vector<double>& expected) {
  double off = 0;
  double size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i]));
      continue;
    }
    off += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    size += expected[i] * expected[i];
  }
  const double least = 1e-2 * std::sqrt(static_cast<double>(expected.size()));
  return expected.empty() ? 0 : std::sqrt(off) / std::max(std::sqrt(size), least);
}

class OpsInBf16 : public ::testing::TestWithParam<OpCase> {};
INSTANTIATE_TEST_SUITE_P(Each, OpsInBf16, ::testing::ValuesIn(all_cases()), name_of_case);

TEST_P(OpsInBf16, AreThoseOfF64Rounded) {
  const OpCase& op = GetParam();
  std::vector<Tensor> rounded = inputs_of(op, low(), Lie::row_major);
  std::vector<Tensor> same;
  for (const Tensor& x : rounded) {
    same.push_back(Tensor::of(x.values<double>(), x.shape(), exact()));
  }
  const Evaluated expected = evaluate_at(op.f, same);
  const Evaluated actual = evaluate_at(op.f, rounded);
  constexpr double most = 0.04;  // five roundings of 2⁻⁹ at both ends of the way
  for (size_t k = 0; k < expected.outputs.size(); ++k) {
    EXPECT_LT(distance(actual.outputs[k].values<double>(), expected.outputs[k].values<double>()),
              most)
        << "output " << k;
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    ASSERT_EQ(actual.gradients[i].defined(), expected.gradients[i].defined()) << "input " << i;
    if (expected.gradients[i].defined()) {
      EXPECT_EQ(actual.gradients[i].dtype(), DType::bf16);
      EXPECT_LT(
          distance(actual.gradients[i].values<double>(), expected.gradients[i].values<double>()),
          most)
          << "gradient of input " << i;
    }
  }
}

Tensor master(const Shape& shape, uint64_t number) {
  Tensor made = Tensor::random(shape, Distribution::normal, {2, 0, number}, low().exact());
  return made.watch();
}

/// Masters and their gradients are f32 beside activations in bf16.
TEST(Bf16, LeavesMastersExact) {
  const Tensor table = master({7, 6}, 1);
  const Tensor weight = master({5, 6}, 2);
  const Tensor bias = master({5}, 3);
  const Tensor scale = master({5}, 4);
  const Tensor ids = Tensor::of(std::vector<int32_t>{3, 1, 1, 6}, {4}, low().with(DType::i32));
  const Tensor rows = embedding(table, ids, DType::bf16);
  const Tensor y = layer_norm(linear(rows, weight, bias), scale, bias, 1e-5);
  EXPECT_EQ(rows.dtype(), DType::bf16);
  EXPECT_EQ(y.dtype(), DType::bf16);
  const Tensor loss =
      cross_entropy(y, Tensor::of(std::vector<int32_t>{0, 4, 2, 1}, {4}, low().with(DType::i32)));
  EXPECT_EQ(loss.dtype(), DType::f32);
  sum(loss).backward();
  for (const Tensor& each : {table, weight, bias, scale}) {
    EXPECT_EQ(each.gradient().dtype(), DType::f32);
  }
}

TEST(Bf16, ProductsRoundOnceAfterTheBias) {
  const Tensor x = Tensor::random({3, 8}, Distribution::normal, {2, 0, 9}, low());
  const Tensor weight = master({4, 8}, 5);
  const Tensor bias = master({4}, 6);
  const auto wide = [](const Tensor& each) {
    return Tensor::of(cast(each, DType::bf16).values<double>(), each.shape(), exact());
  };
  const Tensor expected =
      linear(wide(x), wide(weight), Tensor::of(bias.values<double>(), bias.shape(), exact()));
  EXPECT_EQ(linear(x, weight, bias).values<double>(),
            cast(cast(expected, DType::f32), DType::bf16).values<double>());
}

TEST(Bf16, LeavesCellsExact) {
  const auto lstm = cells().make("lstm");
  const Tensor projected = Tensor::random({2, 3, 16}, Distribution::normal, {2, 0, 11}, low());
  const RecurrentOutput out =
      lstm->run({.projected = projected, .weight = master({16, 4}, 12), .bias = master({16}, 13)});
  EXPECT_EQ(out.outputs.dtype(), DType::bf16);
  EXPECT_EQ(out.hidden.dtype(), DType::bf16);
  EXPECT_EQ(out.cell.dtype(), DType::f32);
}

/// One form of a weight serves forward and backward, as long as nothing writes the weight.
TEST(Bf16, FormsOfWeightsAreMadeOnceAStep) {
  RecordingBackend backend(forced("reference"));
  const Place place{&backend, DType::bf16};
  Tensor matrix = Tensor::random({4, 6}, Distribution::normal, {2, 0, 14}, place.exact());
  matrix.watch();
  Weight weight(matrix);
  Tensor x = Tensor::random({5, 6}, Distribution::normal, {2, 0, 15}, place);
  x.watch();
  const auto forms = [&] {
    backend.take();
    sum(linear(x, weight, {})).backward();
    int64_t made = 0;
    for (const std::string& call : backend.take().calls) {
      made += call.starts_with("copy") && call.find("[4, 6]") != std::string::npos ? 1 : 0;
    }
    return made;
  };
  EXPECT_EQ(forms(), 2);
  {
    const FixedWeights fixed;
    EXPECT_EQ(forms(), 1);
    EXPECT_EQ(forms(), 0);
  }
  backend.fill(matrix.view(), 2);
  const FixedWeights fixed;
  EXPECT_EQ(linear(x, weight, {}).values<float>(),
            linear(x, Tensor::full({4, 6}, 2, place.exact()), {}).values<float>());
}

TEST(Bf16, IsRefusedWhereTheBackendOnlyStoresIt) {
  const Place place{&forced("cpu"), DType::bf16};
  Tensor x = Tensor::zeros({2, 2}, place);
  EXPECT_THROW(x.watch(), Error);
  EXPECT_THROW(x + x, Error);
  EXPECT_THROW(Tensor::zeros({2, 2}, place.exact()) + x, Error);
}

}  // namespace
}  // namespace heed::test::bf16_test
