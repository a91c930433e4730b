#include "heed/nn/embedding.h"

#include <cmath>

#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::embedding_test {
namespace {

class EmbeddingTest : public OnEveryPlace {};
INSTANTIATE_TEST_SUITE_P(Everywhere, EmbeddingTest, ::testing::ValuesIn(places()), name_of_place);

const std::vector<double> rows = {1, 2, 3, 4, 5, 6};  // three words of width 2

TEST_P(EmbeddingTest, LooksUpRowsAndZerosForNoWord) {
  Init init(place(), 1);
  Embedding words;
  words.build(3, 2, init);
  copy_values(Tensor::of(rows, {3, 2}, place()), words.table().master());
  EXPECT_TRUE(close(words(whole({2, -1, 0, 2})), {5, 6, 0, 0, 1, 2, 5, 6}));
  EXPECT_EQ(words.words(), 3);
  EXPECT_EQ(words.width(), 2);
}

TEST_P(EmbeddingTest, ScalesByTheRootOfTheWidthButNotTheLogits) {
  Init init(place(), 1);
  Embedding words(true);
  words.build(3, 2, init);
  copy_values(Tensor::of(rows, {3, 2}, place()), words.table().master());
  EXPECT_TRUE(close(words(whole({1})), {3 * std::sqrt(2.0), 4 * std::sqrt(2.0)}));
  const Tensor x = Tensor::of(std::vector<double>{1, -1, 2, 0}, {2, 2}, place());
  EXPECT_TRUE(close(words.logits(x, Pass::serving()), {-1, -1, -1, 2, 6, 10}));
  const Tensor bias = Tensor::of(std::vector<double>{7, 0, -7}, {3}, place());
  EXPECT_TRUE(close(words.logits(x, Pass::serving(), bias), {6, -1, -8, 9, 6, 3}));
}

TEST_P(EmbeddingTest, ATiedTableIsOneParameterAndGathersBothGradients) {
  Init init(place(), 1);
  struct Pair : Module {
    Embedding in, out;
    void describe(Describer& d) override {
      d.child("in", in);
      d.child("out", out);
    }
  } pair;
  pair.in.build(3, 2, init);
  pair.out.tie(pair.in);
  EXPECT_EQ(parameters_of(pair).size(), 2U);
  EXPECT_EQ(count_parameters(pair), 6);
  // y = Σ_v E_0 · E_v, so dE_0 = Σ_v E_v + E_0 and dE_v = E_0.
  copy_values(Tensor::of(rows, {3, 2}, place()), pair.in.table().master());
  sum(pair.out.logits(pair.in(whole({0})), Pass::serving())).backward();
  EXPECT_TRUE(close(pair.out.table().master().gradient(), {10, 14, 1, 2, 1, 2}));
}

TEST_P(EmbeddingTest, BeginsWithVectorsOfAboutUnitLength) {
  Init init(place(), 1);
  Embedding words;
  words.build(400, 64, init);
  double square = 0;
  for (const double value : words.table().master().values()) {
    square += value * value;
  }
  EXPECT_NEAR(square / 400, 1, 0.05);
}

TEST_P(EmbeddingTest, GradientsReachTheTable) {
  Init init(place(), 1);
  Embedding words(true);
  words.build(3, 2, init);
  EXPECT_TRUE(gradients_reach(words, [&] { return words(whole({1, 2})); }));
}

TEST_P(EmbeddingTest, RefusesToTieToWhatIsNotBuilt) {
  Embedding owner;
  EXPECT_THROW(Embedding().tie(owner), Error);
}

}  // namespace
}  // namespace heed::test::embedding_test
