// Against torch.optim on f(p) = ½ pᵀ A p − bᵀ p (tests/fixtures/adam.json), and of Adafactor on
// tensors of several shapes (adafactor.json).
#include "heed/train/optimisers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"
#include "tests/support/worked_out.h"

namespace heed::optimisers_test {
namespace {

class Optimisers : public ::testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(Everywhere, Optimisers, ::testing::ValuesIn(test::places()),
                         test::name_of_place);

std::unique_ptr<Optimiser> optimiser_of(const test::FixtureCase& c) {
  const std::string kind = c.text("optimiser");
  if (kind == "SGD") {
    auto made = make_part(optimisers(), "sgd");
    Json settings = Json::object();
    settings.set("momentum", c.number("momentum"));
    settings.set("nesterov", c.flag("nesterov"));
    settings.set("weight_decay", c.number("weight_decay"));
    apply(*made, settings);
    return made;
  }
  auto made = make_part(optimisers(), kind == "Adam" ? "adam" : "adamw");
  Json settings = Json::object();
  settings.set("beta1", c.numbers("betas")[0]);
  settings.set("beta2", c.numbers("betas")[1]);
  settings.set("epsilon", c.number("eps"));
  settings.set("weight_decay", c.number("weight_decay"));
  apply(*made, settings);
  return made;
}

TEST_P(Optimisers, FollowTorch) {
  const auto cases = test::read_fixture("adam", GetParam());
  ASSERT_GE(cases.size(), 8U);
  for (const test::FixtureCase& c : cases) {
    SCOPED_TRACE(c.name);
    Tensor p = c.tensor("p0").clone().watch();
    auto optimiser = optimiser_of(c);
    optimiser->attach({{"p", &p}});
    const std::vector<double> path = c.tensor("trajectory").values();
    for (int64_t t = 1; t <= c.integer("steps"); ++t) {
      const Tensor ap = reshape(matmul(c.tensor("A"), reshape(p.detached(), {3, 1})), {3});
      p.set_gradient(ap - c.tensor("b"));
      optimiser->step(c.number("lr"));
      const std::vector<double> expected(path.begin() + 3 * t, path.begin() + 3 * (t + 1));
      EXPECT_TRUE(test::close(p, expected, 16)) << "after step " << t;
    }
    EXPECT_EQ(optimiser->updates(), c.integer("steps"));
  }
}

std::unique_ptr<Optimiser> adafactor_with(const std::string& settings) {
  auto made = make_part(optimisers(), "adafactor");
  apply(*made, parse_json(settings, "test"));
  return made;
}

TEST_P(Optimisers, AdafactorFollowsTorch) {
  const auto cases = test::read_fixture("adafactor", GetParam());
  ASSERT_GE(cases.size(), 9U);
  for (const test::FixtureCase& c : cases) {
    SCOPED_TRACE(c.name);
    Tensor p = c.tensor("p0").clone().watch();
    const auto optimiser = adafactor_with(
        fmt::format(R"({{"decay": {}, "threshold": {}, "weight_decay": {}}})",
                    -c.number("beta2_decay"), c.number("d"), c.number("weight_decay")));
    optimiser->attach({{"p", &p}});
    const std::vector<double> gradients = c.tensor("gradients").values();
    const std::vector<double> path = c.tensor("trajectory").values();
    const auto nth = [&p](const std::vector<double>& all, int64_t n) {
      return std::vector<double>(all.begin() + n * p.numel(), all.begin() + (n + 1) * p.numel());
    };
    for (int64_t t = 1; t <= c.integer("steps"); ++t) {
      p.set_gradient(Tensor::of(nth(gradients, t - 1), p.shape(), GetParam()));
      optimiser->step(c.number("lr"));
      EXPECT_TRUE(test::close(p, nth(path, t), 64)) << "after step " << t;
    }
  }
}

/// √(mean x²).
double rms(const std::vector<double>& x) {
  double sum = 0;
  for (const double one : x) {
    sum += one * one;
  }
  return std::sqrt(sum / static_cast<double>(x.size()));
}

/// Algorithm 4 of the paper in double, element by element: v_ij = R_i C_j / Σ R, R and C sums.
class AdafactorOfThePaper {
 public:
  AdafactorOfThePaper(size_t rows, size_t columns) : r_(rows, 0), c_(columns, 0) {}

  void step(std::vector<double>& p, const std::vector<double>& g, double step) {
    ++t_;
    const double beta = 1 - std::pow(t_, -0.8);
    std::vector<double> r(r_.size(), 0);
    std::vector<double> c(c_.size(), 0);
    for (size_t i = 0; i < g.size(); ++i) {
      r[i / c_.size()] += g[i] * g[i] + 1e-30;
      c[i % c_.size()] += g[i] * g[i] + 1e-30;
    }
    double total = 0;
    for (size_t i = 0; i < r.size(); ++i) {
      total += r_[i] = beta * r_[i] + (1 - beta) * r[i];
    }
    for (size_t j = 0; j < c.size(); ++j) {
      c_[j] = beta * c_[j] + (1 - beta) * c[j];
    }
    std::vector<double> u(g.size());
    for (size_t i = 0; i < g.size(); ++i) {
      u[i] = g[i] / std::sqrt(r_[i / c_.size()] * c_[i % c_.size()] / total);
    }
    const double length = std::max(1.0, rms(u));
    for (size_t i = 0; i < g.size(); ++i) {
      p[i] -= step * u[i] / length;
    }
  }

 private:
  std::vector<double> r_;
  std::vector<double> c_;
  double t_ = 0;
};

TEST_P(Optimisers, AdafactorIsThePapers) {
  constexpr int64_t rows = 37;
  constexpr int64_t columns = 19;
  for (const bool is_relative : {true, false}) {
    Tensor p = Tensor::random({rows, columns}, Distribution::normal, {1, 2, 3}, GetParam()).watch();
    std::vector<double> expected = p.values();
    AdafactorOfThePaper paper(rows, columns);
    const auto optimiser = adafactor_with(is_relative ? "{}" : R"({"relative": false})");
    optimiser->attach({{"p", &p}});
    EXPECT_EQ(optimiser->state().size(), 2U);
    for (uint64_t t = 1; t <= 20; ++t) {
      const Tensor g = Tensor::random({rows, columns}, Distribution::normal, {4, t, 0}, GetParam());
      p.set_gradient(g);
      const double rate = t < 15 ? 0.02 : 0.9;  // 1/√t bounds the latter
      optimiser->step(rate);
      const double rho = std::min(rate, 1 / std::sqrt(static_cast<double>(t)));
      paper.step(expected, g.values(), is_relative ? rho * std::max(1e-3, rms(expected)) : rho);
      EXPECT_TRUE(test::close(p, expected, 1024)) << "after step " << t;
    }
  }
}

TEST_P(Optimisers, GoOnExactlyFromTheirState) {
  for (const auto& entry : optimisers()) {
    SCOPED_TRACE(entry.name);
    const Place place = GetParam();
    const auto train = [&](Optimiser& optimiser, Tensor& p, int64_t from, int64_t to) {
      for (int64_t t = from; t < to; ++t) {
        p.set_gradient(p.detached() * 0.5 + static_cast<double>(t));
        optimiser.step(0.01);
      }
    };
    Json momentum = Json::object();
    if (entry.name == "sgd") {
      momentum.set("momentum", 0.9);
    }
    Tensor whole = Tensor::random({7, 3}, Distribution::normal, {1, 2, 3}, place).watch();
    Tensor first = whole.clone().watch();
    auto one = make_part(optimisers(), entry.name);
    apply(*one, momentum);
    one->attach({{"p", &whole}});
    train(*one, whole, 0, 9);

    auto two = make_part(optimisers(), entry.name);
    apply(*two, momentum);
    two->attach({{"p", &first}});
    train(*two, first, 0, 4);
    Tensor second = first.clone().watch();
    auto three = make_part(optimisers(), entry.name);
    apply(*three, momentum);
    three->attach({{"p", &second}});
    three->set_updates(two->updates());
    const auto from = two->state();
    const auto to = three->state();
    ASSERT_FALSE(from.empty());
    for (size_t i = 0; i < from.size(); ++i) {
      EXPECT_EQ(from[i].name, to[i].name);
      place.backend->copy(to[i].tensor->view(), from[i].tensor->view());
    }
    train(*three, second, 4, 9);
    EXPECT_TRUE(test::same_bits(whole, second));
  }
}

/// A gradient times a scale does what the scaled gradient does, for several tensors at once.
TEST_P(Optimisers, ScaleTheGradients) {
  for (const auto& entry : optimisers()) {
    const auto trained = [&](double before, double scale) {
      Tensor a = Tensor::random({40, 50}, Distribution::normal, {1, 2, 3}, GetParam()).watch();
      Tensor b = Tensor::random({3}, Distribution::normal, {1, 2, 4}, GetParam()).watch();
      const auto optimiser = make_part(optimisers(), entry.name);
      optimiser->attach({{"a", &a}, {"b", &b}});
      for (int t = 1; t <= 3; ++t) {
        a.set_gradient(a.detached() * (before * t));
        b.set_gradient(b.detached() * (before * t));
        optimiser->step(0.01, scale);
      }
      std::vector<double> all = a.values();
      const std::vector<double> more = b.values();
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    // A power of two: no bit is lost either way.
    EXPECT_EQ(trained(1, 0.25), trained(0.25, 1)) << entry.name;
    EXPECT_NE(trained(1, 0.25), trained(1, -0.25)) << entry.name;
  }
}

TEST_P(Optimisers, LeaveAloneWhatHasNoGradient) {
  for (const auto& entry : optimisers()) {
    Tensor a = Tensor::full({2}, 3, GetParam()).watch();
    Tensor b = Tensor::full({2}, 3, GetParam()).watch();
    auto optimiser = make_part(optimisers(), entry.name);
    optimiser->attach({{"a", &a}, {"b", &b}});
    a.set_gradient(Tensor::full({2}, 1, GetParam()));
    optimiser->step(0.1);
    EXPECT_NE(a.values()[0], 3) << entry.name;
    EXPECT_EQ(b.values()[0], 3) << entry.name;
  }
}

TEST(Optimisers, EveryOneIsWorkedOut) {
  test::expect_worked_out(optimisers(), {{"adam", "Optimisers.FollowTorch"},
                                         {"adamw", "Optimisers.FollowTorch"},
                                         {"adafactor", "Optimisers.AdafactorIsThePapers"},
                                         {"sgd", "Optimisers.FollowTorch"}});
}

}  // namespace
}  // namespace heed::optimisers_test
