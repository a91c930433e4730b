// Against torch.optim on f(p) = ½ pᵀ A p − bᵀ p (tests/fixtures/adam.json).
#include "heed/train/optimisers.h"

#include <gtest/gtest.h>

#include "heed/nn/settings.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed {
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
    Tensor whole = Tensor::random({7}, Distribution::normal, {1, 2, 3}, place).watch();
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

}  // namespace
}  // namespace heed
