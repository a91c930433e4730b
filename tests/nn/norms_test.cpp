#include "heed/nn/norms.h"

#include "heed/config/apply.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::norms_test {
namespace {

class NormsTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, NormsTest, ::testing::ValuesIn(places()), name_of_place);

TEST_P(NormsTest, EqualThePeersForwardAndBackward) {
  for (const auto& entry : norms()) {
    int met = 0;
    for (const FixtureCase& c : read_fixture(entry.name, place())) {
      if (!c.has("weight") || c.name == "offset") {  // offset: x ≈ 1000, its own test below ops
        continue;
      }
      SCOPED_TRACE(entry.name + " " + c.name);
      Init init(place(), 1);
      const auto norm = make_part(norms(), entry.name);
      apply(*norm, Json::object().set("epsilon", c.number("eps")));
      norm->build(c.tensor("x").size(-1), init);
      for (const NamedParameter& parameter : parameters_of(*norm)) {
        copy_values(c.tensor(parameter.name), *parameter.tensor);
      }
      Tensor x = c.tensor("x").clone().watch();
      const Tensor y = (*norm)(x);
      EXPECT_TRUE(close(y, c.tensor("y"), 16));
      y.backward(c.tensor("d_y"));
      EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), scaled(tolerance(place().dtype, 64), 10)));
      for (const NamedParameter& parameter : parameters_of(*norm)) {
        EXPECT_TRUE(close(parameter.tensor->gradient(), c.tensor("d_" + parameter.name), 64));
      }
      ++met;
    }
    EXPECT_GE(met, 3) << entry.name;
  }
}

TEST_P(NormsTest, BeginAsPlainNormsAndNormaliseEachRowAlone) {
  for (const auto& entry : norms()) {
    SCOPED_TRACE(entry.name);
    Init init(place(), 1);
    const auto norm = make_part(norms(), entry.name);
    norm->build(6, init);
    const Tensor x = normal({4, 6});
    const std::vector<double> y = (*norm)(x).values();
    for (int row = 0; row < 4; ++row) {
      double square = 0;
      for (int j = 0; j < 6; ++j) {
        square += y[row * 6 + j] * y[row * 6 + j];
      }
      EXPECT_NEAR(square / 6, 1, 1e-3);
    }
    EXPECT_TRUE(gradients_reach(*norm, [&] { return (*norm)(x); }));
  }
}

}  // namespace
}  // namespace heed::test::norms_test
