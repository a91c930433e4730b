#include "heed/nn/feed_forward.h"

#include <algorithm>

#include "heed/config/apply.h"
#include "heed/nn/activations.h"
#include "heed/ops/matmul.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::feed_forward_test {
namespace {

class FeedForwardTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, FeedForwardTest, ::testing::ValuesIn(places()), name_of_place);

TEST_P(FeedForwardTest, IsTwoLayersAroundEveryActivationGatedOrNot) {
  const Tensor x = normal({3, 4});
  for (const NamedActivation& activation : activations()) {
    for (const bool gated : {false, true}) {
      SCOPED_TRACE(std::string(activation.name) + (gated ? " gated" : ""));
      FeedForward layer;
      apply(layer,
            Json::object().set("width", 5).set("activation", activation.name).set("gated", gated));
      Init init(place(), 5);
      layer.build(4, init);
      const auto p = [&](const char* name) { return parameter_named(layer, name); };
      copy_values(normal({5}, 8), p("inner.bias"));
      copy_values(normal({4}, 9), p("outer.bias"));
      const auto through = [&](const Tensor& in, const std::string& name) {
        return matmul(in, p((name + ".weight").c_str()), {.transpose_b = true}) +
               p((name + ".bias").c_str());
      };
      Tensor wide = activation.of(through(x, "inner"));
      wide = gated ? wide * through(x, "gate") : wide;
      Pass pass = Pass::serving();
      EXPECT_TRUE(close(layer(x, pass), through(wide, "outer"), 16));
      EXPECT_TRUE(gradients_reach(layer, [&] { return layer(x, pass); }));
    }
  }
}

TEST_P(FeedForwardTest, IsFourTimesAsWideUnlessToldOtherwise) {
  Init init(place(), 5);
  FeedForward layer;
  apply(layer, Json::object().set("bias", false));
  layer.build(3, init);
  EXPECT_EQ(parameter_named(layer, "inner.weight").shape(), (Shape{12, 3}));
  EXPECT_EQ(count_parameters(layer), 72);
}

TEST_P(FeedForwardTest, DropsOnlyWhileTrainingAndTheSameForTheSameStep) {
  Init init(place(), 5);
  FeedForward layer;
  apply(layer, Json::object().set("dropout", 0.5));
  layer.build(4, init);
  const Tensor x = normal({6, 4});
  const auto run = [&](Pass pass) { return layer(x, pass).values(); };
  EXPECT_EQ(run(Pass::serving(1)), run(Pass::serving(2)));
  EXPECT_EQ(run(Pass::training(1, 3)), run(Pass::training(1, 3)));
  EXPECT_NE(run(Pass::training(1, 3)), run(Pass::training(1, 4)));
  EXPECT_NE(run(Pass::training(1, 3)), run(Pass::serving()));
}

TEST(ActivationsTest, AreFoundByNameAndSuggested) {
  EXPECT_STREQ(activation_named("gelu").name, "gelu");
  try {
    activation_named("gellu");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"gelu\""), std::string::npos);
  }
}

class ActivationsOnPlaces : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, ActivationsOnPlaces, ::testing::ValuesIn(places()),
                         name_of_place);

TEST_P(ActivationsOnPlaces, EqualThePeers) {
  int met = 0;
  for (const FixtureCase& c : read_fixture("activations", place())) {
    const std::string name = c.name == "gelu_erf" ? "gelu" : c.name;
    const auto names = activation_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      continue;
    }
    EXPECT_TRUE(close(activation_named(name).of(c.tensor("x")), c.tensor("y"), 16)) << name;
    ++met;
  }
  EXPECT_EQ(met, 7);  // all but identity
}

}  // namespace
}  // namespace heed::test::feed_forward_test
