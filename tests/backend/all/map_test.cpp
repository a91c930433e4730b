// Every function of the catalogue on every backend and layout, against its formula in double.
#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/backends.h"
#include "tests/support/layout.h"
#include "tests/support/tolerance.h"

namespace heed::test::map_test {
namespace {

struct Args {
  double x, y, z, a, b;
};

struct Expected {
  Function f;
  const char* name;
  std::function<double(const Args&)> value;
  double low = -4;  // operands are drawn from here to `high`
  double high = 4;
};

double sigma(double x) { return 1 / (1 + std::exp(-x)); }
double phi(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double gelu_inner(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
double gelu_tanh_gradient(double x) {
  constexpr double h = 1e-6;
  const auto gelu = [](double at) { return 0.5 * at * (1 + std::tanh(gelu_inner(at))); };
  return (gelu(x + h) - gelu(x - h)) / (2 * h);
}

const std::vector<Expected>& catalogue() {
  static const std::vector<Expected> all = {
      {function<fn::Affine>, "Affine", [](const Args& v) { return v.a * v.x + v.b; }},
      {function<fn::Abs>, "Abs", [](const Args& v) { return std::fabs(v.x); }},
      {function<fn::Sign>, "Sign",
       [](const Args& v) { return v.x > 0   ? 1.0
                                  : v.x < 0 ? -1.0
                                            : 0; }},
      {function<fn::Floor>, "Floor", [](const Args& v) { return std::floor(v.x); }},
      {function<fn::Reciprocal>, "Reciprocal", [](const Args& v) { return 1 / v.x; }, 0.1, 9},
      {function<fn::Exp>, "Exp", [](const Args& v) { return std::exp(v.x); }},
      {function<fn::Log>, "Log", [](const Args& v) { return std::log(v.x); }, 0.01, 99},
      {function<fn::Sqrt>, "Sqrt", [](const Args& v) { return std::sqrt(v.x); }, 0, 99},
      {function<fn::ReciprocalSqrt>, "ReciprocalSqrt",
       [](const Args& v) { return std::pow(v.x, -0.5); }, 0.01, 9},
      {function<fn::Sin>, "Sin", [](const Args& v) { return std::sin(v.x); }},
      {function<fn::Cos>, "Cos", [](const Args& v) { return std::cos(v.x); }},
      {function<fn::Tanh>, "Tanh", [](const Args& v) { return std::tanh(v.x); }},
      {function<fn::Sigmoid>, "Sigmoid", [](const Args& v) { return sigma(v.x); }},
      {function<fn::Relu>, "Relu", [](const Args& v) { return std::fmax(v.x, 0); }},
      {function<fn::Gelu>, "Gelu", [](const Args& v) { return v.x * phi(v.x); }},
      {function<fn::GeluTanh>, "GeluTanh",
       [](const Args& v) { return 0.5 * v.x * (1 + std::tanh(gelu_inner(v.x))); }},
      {function<fn::Silu>, "Silu", [](const Args& v) { return v.x * sigma(v.x); }},
      {function<fn::Softplus>, "Softplus",
       [](const Args& v) { return std::log(1 + std::exp(v.x)); }},
      {function<fn::Erf>, "Erf", [](const Args& v) { return std::erf(v.x); }},
      {function<fn::Clamp>, "Clamp",
       [](const Args& v) { return std::fmin(std::fmax(v.x, v.a), v.b); }},
      {function<fn::MaximumWith>, "MaximumWith", [](const Args& v) { return std::fmax(v.x, v.a); }},
      {function<fn::MinimumWith>, "MinimumWith", [](const Args& v) { return std::fmin(v.x, v.a); }},
      {function<fn::EqualTo>, "EqualTo", [](const Args& v) { return v.x == v.a ? 1.0 : 0; }},
      {function<fn::Below>, "Below", [](const Args& v) { return v.x < v.a ? 1.0 : 0; }},
      {function<fn::Above>, "Above", [](const Args& v) { return v.a < v.x ? 1.0 : 0; }},
      {function<fn::Keep>, "Keep", [](const Args& v) { return v.x >= v.a ? v.b : 0; }},
      {function<fn::IsZero>, "IsZero", [](const Args& v) { return v.x == 0 ? 1.0 : 0; }},
      {function<fn::IsFinite>, "IsFinite",
       [](const Args& v) { return std::isfinite(v.x) ? 1.0 : 0; }},
      {function<fn::Add>, "Add", [](const Args& v) { return v.x + v.y; }},
      {function<fn::Subtract>, "Subtract", [](const Args& v) { return v.x - v.y; }},
      {function<fn::Multiply>, "Multiply", [](const Args& v) { return v.x * v.y; }},
      {function<fn::Divide>, "Divide", [](const Args& v) { return v.x / v.y; }, 0.1, 4},
      {function<fn::AddScaled>, "AddScaled", [](const Args& v) { return v.x + v.a * v.y; }},
      {function<fn::Mix>, "Mix", [](const Args& v) { return v.a * v.x + v.b * v.y; }},
      {function<fn::Maximum>, "Maximum", [](const Args& v) { return std::fmax(v.x, v.y); }},
      {function<fn::Minimum>, "Minimum", [](const Args& v) { return std::fmin(v.x, v.y); }},
      {function<fn::Equal>, "Equal", [](const Args& v) { return v.x == v.y ? 1.0 : 0; }},
      {function<fn::Less>, "Less", [](const Args& v) { return v.x < v.y ? 1.0 : 0; }},
      {function<fn::AtMost>, "AtMost", [](const Args& v) { return v.x <= v.y ? 1.0 : 0; }},
      {function<fn::SqrtGradient>, "SqrtGradient", [](const Args& v) { return v.x / (2 * v.y); },
       0.1, 4},
      {function<fn::TanhGradient>, "TanhGradient",
       [](const Args& v) { return v.x * (1 - v.y * v.y); }, -1, 1},
      {function<fn::SigmoidGradient>, "SigmoidGradient",
       [](const Args& v) { return v.x * v.y * (1 - v.y); }, 0, 1},
      {function<fn::ReluGradient>, "ReluGradient", [](const Args& v) { return v.y > 0 ? v.x : 0; }},
      {function<fn::GeluGradient>, "GeluGradient",
       [](const Args& v) { return v.x * (phi(v.y) + v.y * normal_density(v.y)); }},
      {function<fn::GeluTanhGradient>, "GeluTanhGradient",
       [](const Args& v) { return v.x * gelu_tanh_gradient(v.y); }},
      {function<fn::SiluGradient>, "SiluGradient",
       [](const Args& v) { return v.x * (sigma(v.y) + v.y * sigma(v.y) * sigma(-v.y)); }},
      {function<fn::SoftplusGradient>, "SoftplusGradient",
       [](const Args& v) { return v.x * sigma(v.y); }},
      {function<fn::ErfGradient>, "ErfGradient",
       [](const Args& v) { return v.x * 2 / std::sqrt(M_PI) * std::exp(-v.y * v.y); }},
      {function<fn::ClampGradient>, "ClampGradient",
       [](const Args& v) { return v.y >= v.a && v.y <= v.b ? v.x : 0; }},
      {function<fn::MaximumWithGradient>, "MaximumWithGradient",
       [](const Args& v) { return v.y < v.a ? 0 : v.x; }},
      {function<fn::MinimumWithGradient>, "MinimumWithGradient",
       [](const Args& v) { return v.y > v.a ? 0 : v.x; }},
      {function<fn::SelectOr>, "SelectOr", [](const Args& v) { return v.x != 0 ? v.y : v.a; }},
      {function<fn::SelectUnless>, "SelectUnless",
       [](const Args& v) { return v.x == 0 ? v.y : v.a; }},
      {function<fn::Select>, "Select", [](const Args& v) { return v.x != 0 ? v.y : v.z; }},
      {function<fn::MultiplyAdd>, "MultiplyAdd", [](const Args& v) { return v.x * v.y + v.z; }},
      {function<fn::Within>, "Within",
       [](const Args& v) { return v.y <= v.x && v.x < v.z ? 1.0 : 0; }},
  };
  return all;
}

class Map : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Map, ::testing::ValuesIn(places()), name_of_place);

TEST(MapCatalogue, NamesEveryFunctionOnce) {
  std::vector<int> seen(function_count);
  for (const Expected& expected : catalogue()) {
    ++seen[static_cast<size_t>(expected.f)];
  }
  EXPECT_EQ(seen, std::vector<int>(function_count, 1));
}

constexpr MapScalars scalars{-0.75, 1.5};

/// Operands of `shape` drawn for `expected`; some are zero, so that Select and IsZero see both.
std::vector<Laid> operands(const Expected& expected, const Shape& shape, const Place& place,
                           Dice& dice) {
  std::vector<Laid> made;
  for (int i = 0; i < arity_of(expected.f); ++i) {
    const auto layout = static_cast<Spacing>(dice.below(3));
    made.push_back(laid(shape, place, dice, layout, [&] {
      return expected.low < 0 && dice.below(6) == 0 ? 0 : dice.uniform(expected.low, expected.high);
    }));
  }
  return made;
}

std::vector<double> apply(const Expected& expected, const std::vector<Laid>& in, MapScalars s) {
  std::vector<double> values;
  for (size_t i = 0; i < in[0].values.size(); ++i) {
    values.push_back(expected.value({in[0].values[i], in.size() > 1 ? in[1].values[i] : 0,
                                     in.size() > 2 ? in[2].values[i] : 0, s.a, s.b}));
  }
  return values;
}

std::vector<View> views(const std::vector<Laid>& in) {
  std::vector<View> all;
  for (const Laid& each : in) {
    all.push_back(each.tensor.view());
  }
  return all;
}

TEST_P(Map, EveryFunctionInEveryLayout) {
  const Place place = GetParam();
  Dice dice(1);
  for (const Expected& expected : catalogue()) {
    for (int round = 0; round < 5; ++round) {
      const Shape shape = dice.shape(static_cast<int>(dice.below(4)), 20);
      SCOPED_TRACE(std::string(expected.name) + " " + heed::to_string(shape));
      const auto in = operands(expected, shape, place, dice);
      const Laid out = laid_normal(shape, place, dice);
      place.backend->map(expected.f, out.tensor.view(), views(in), scalars);
      Tolerance within = scaled(tolerance(place.dtype), 4);  // operands are about that large
      if (expected.f == function<fn::GeluTanhGradient>) {
        within.absolute = std::max(within.absolute, 1e-8);  // its expected value is a difference
      }
      ASSERT_TRUE(close(read(out), apply(expected, in, scalars), within));
    }
  }
}

/// In place: out is the first operand.
void check_in_place(const Expected& expected, const Shape& shape, const Place& place, Dice& dice) {
  SCOPED_TRACE(expected.name);
  std::vector<Laid> in;
  for (int i = 0; i < arity_of(expected.f); ++i) {
    in.push_back(laid(shape, place, dice, Spacing::dense,
                      [&] { return dice.uniform(expected.low, expected.high); }));
  }
  const auto wanted = apply(expected, in, scalars);
  place.backend->map(expected.f, in[0].tensor.view(), views(in), scalars);
  Tolerance within = scaled(tolerance(place.dtype), 4);  // operands are about that large
  within.absolute = std::max(within.absolute, 1e-8);
  ASSERT_TRUE(close(read(in[0]), wanted, within));
}

TEST_P(Map, InPlace) {
  Dice dice(2);
  for (const Expected& expected : catalogue()) {
    check_in_place(expected, {3, 67}, GetParam(), dice);
  }
}

TEST_P(Map, ManyChunks) {
  Dice dice(3);
  for (const Expected& expected : catalogue()) {
    if (expected.f == function<fn::Tanh> || expected.f == function<fn::Subtract> ||
        expected.f == function<fn::MultiplyAdd>) {
      check_in_place(expected, {3, 17001}, GetParam(), dice);
    }
  }
}

TEST_P(Map, WholeNumbers) {
  const Place place = GetParam().with(DType::i32);
  Dice dice(3);
  int tried = 0;
  for (const Expected& expected : catalogue()) {
    if (!works_on_integers(expected.f)) {
      continue;
    }
    ++tried;
    for (int round = 0; round < 5; ++round) {
      const Shape shape = dice.shape(2, 30);
      std::vector<Laid> in;
      for (int i = 0; i < arity_of(expected.f); ++i) {
        in.push_back(laid(shape, place, dice, static_cast<Spacing>(dice.below(3)),
                          [&] { return static_cast<double>(dice.below(7) - 3); }));
      }
      const Laid out = laid(shape, place, dice, Spacing::strided, [] { return 0; });
      place.backend->map(expected.f, out.tensor.view(), views(in), {-1, 2});
      ASSERT_EQ(read(out), apply(expected, in, {-1, 2})) << expected.name;
    }
  }
  EXPECT_GT(tried, 15);
  const Laid x = laid({1}, {1}, place, dice);
  const std::vector<View> in = {x.tensor.view()};
  EXPECT_THROW(place.backend->map(function<fn::Tanh>, in[0], in, {}), Error);
}

TEST_P(Map, NaNAndInfinitiesPass) {
  const Place place = GetParam();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  const auto run = [&](Function f, const std::vector<double>& x) {
    const Tensor in = Tensor::of(x, {static_cast<int64_t>(x.size())}, place);
    const Tensor out = Tensor::empty(in.shape(), place);
    const std::vector<View> operands = {in.view()};
    place.backend->map(f, out.view(), operands, {});
    return out;
  };
  const std::vector<double> x = {infinity, -infinity, nan, 0};
  EXPECT_TRUE(close(run(function<fn::Exp>, x), {infinity, 0, nan, 1}));
  EXPECT_TRUE(close(run(function<fn::Tanh>, x), {1, -1, nan, 0}));
  EXPECT_TRUE(close(run(function<fn::Sigmoid>, x), {1, 0, nan, 0.5}));
  EXPECT_TRUE(close(run(function<fn::Log>, x), {infinity, nan, nan, -infinity}));
  EXPECT_TRUE(close(run(function<fn::Erf>, x), {1, -1, nan, 0}));
  EXPECT_TRUE(close(run(function<fn::Softplus>, x), {infinity, 0, nan, std::log(2.0)}));
  EXPECT_TRUE(close(run(function<fn::IsFinite>, x), {0, 0, 0, 1}));
  EXPECT_TRUE(close(run(function<fn::Gelu>, {40, -40, nan}), {40, 0, nan}));
  EXPECT_TRUE(close(run(function<fn::Exp>, {1e4, -1e4, 200, -200}),
                    place.dtype == DType::f32
                        ? std::vector<double>{infinity, 0, infinity, 0}
                        : std::vector<double>{infinity, 0, std::exp(200.0), std::exp(-200.0)}));
}

TEST_P(Map, RefusesWhatDoesNotFit) {
  const Place place = GetParam();
  const Tensor x = Tensor::zeros({2, 3}, place);
  const Tensor y = Tensor::zeros({3, 2}, place);
  const Tensor whole = Tensor::zeros({2, 3}, place.with(DType::i32));
  const auto run = [&](const Tensor& out, const std::vector<View>& in) {
    place.backend->map(function<fn::Add>, out.view(), in, {});
  };
  EXPECT_THROW(run(x, {x.view()}), Error);
  EXPECT_THROW(run(x, {x.view(), y.view()}), Error);
  EXPECT_THROW(run(x, {x.view(), whole.view()}), Error);
  EXPECT_NO_THROW(run(x, {x.view(), x.view()}));
}

}  // namespace
}  // namespace heed::test::map_test
