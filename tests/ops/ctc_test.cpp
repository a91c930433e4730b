#include "heed/ops/ctc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::ctc_test {
namespace {

class Ctc : public ::testing::TestWithParam<Place> {
 protected:
  static Layout layout(const std::vector<int32_t>& lengths) {
    return Layout::packed(lengths, GetParam());
  }
  static Tensor loss(const Tensor& logits, const std::vector<int32_t>& frames,
                     const std::vector<int32_t>& labels, const std::vector<int32_t>& lengths,
                     const CtcOptions& options = {}) {
    return ctc_loss(logits, layout(frames), {labels, lengths}, options);
  }
  static Tensor drawn(int64_t rows, int64_t classes, uint64_t number) {
    return Tensor::random({rows, classes}, Distribution::normal, {3, 0, number}, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Ctc, ::testing::ValuesIn(places()), name_of_place);

TEST_P(Ctc, AgreesWithPyTorch) {
  for (const FixtureCase& c : read_fixture("ctc", GetParam())) {
    SCOPED_TRACE(c.name);
    const auto frames = c.tensor("frame_lengths").values<int32_t>();
    const auto lengths = c.tensor("label_lengths").values<int32_t>();
    Tensor logits = c.tensor("logits").clone();
    logits.watch();
    const auto labels = c.tensor("labels").values<int32_t>();
    const Layout frame_layout = layout(frames);
    const RanOn guard(GetParam());
    const Tensor losses = ctc_loss(logits, frame_layout, {labels, lengths},
                                   {.blank = static_cast<int32_t>(c.integer("blank"))});
    EXPECT_TRUE(close(losses, c.tensor("losses"), 64));
    losses.backward(c.tensor("d_losses"));
    EXPECT_TRUE(close(logits.gradient(), c.tensor("d_logits"), 64));
  }
}

/// Walks over every path and adds its probability to the labels it becomes.
std::map<std::vector<int32_t>, double> by_enumeration(const std::vector<double>& logits,
                                                      int64_t classes, int32_t blank) {
  const auto frames = static_cast<int64_t>(logits.size()) / classes;
  std::map<std::vector<int32_t>, double> found;
  const auto paths = static_cast<int64_t>(std::llround(std::pow(classes, frames)));
  for (int64_t path = 0; path < paths; ++path) {
    double probability = 1;
    std::vector<int32_t> labels;
    int64_t rest = path;
    int32_t before = -1;
    for (int64_t t = 0; t < frames; ++t, rest /= classes) {
      const auto symbol = static_cast<int32_t>(rest % classes);
      double sum = 0;
      for (int64_t k = 0; k < classes; ++k) {
        sum += std::exp(logits[static_cast<size_t>(t * classes + k)]);
      }
      probability *= std::exp(logits[static_cast<size_t>(t * classes + symbol)]) / sum;
      if (symbol != blank && symbol != before) {
        labels.push_back(symbol);
      }
      before = symbol;
    }
    found[labels] += probability;
  }
  return found;
}

TEST_P(Ctc, SumsOverEveryPath) {
  constexpr int64_t classes = 3;
  for (const int32_t blank : {0, 2}) {
    const Tensor logits = drawn(5, classes, 1);
    double total = 0;
    for (const auto& [labels, probability] : by_enumeration(logits.values(), classes, blank)) {
      const Tensor one =
          loss(logits, {5}, labels, {static_cast<int32_t>(labels.size())}, {.blank = blank});
      EXPECT_TRUE(close(one, {-std::log(probability)}, 64)) << labels.size();
      total += probability;
    }
    EXPECT_NEAR(total, 1, 1e-6);
  }
}

TEST_P(Ctc, ASequenceDoesNotDependOnItsBatch) {
  const Tensor logits = drawn(9, 4, 2);
  const Tensor rows = logits.seen_as(sliced(logits.view(), 0, 2, 4)).clone();
  const Tensor batch = loss(logits, {2, 4, 3}, {1, 3, 3, 2}, {1, 2, 1});
  const Tensor alone = loss(rows, {4}, {3, 3}, {2});
  EXPECT_TRUE(close(Tensor::of<double>({batch.values()[1]}, {1}, GetParam()), alone));
}

TEST_P(Ctc, LongRecordingsKeepTheirPrecision) {
  constexpr int32_t frames = 3000;
  constexpr int64_t classes = 6;
  std::vector<int32_t> labels;
  for (int32_t i = 0; i < 200; ++i) {
    labels.push_back(1 + i * i % 5);
  }
  std::vector<Tensor> gradients;
  std::vector<double> losses;
  for (const Place& place : {Place{&forced("reference"), DType::f64}, GetParam()}) {
    const std::vector<int32_t> lengths = {frames};
    const std::vector<int32_t> counts = {static_cast<int32_t>(labels.size())};
    Tensor logits = Tensor::of(drawn(frames, classes, 3).values(), {frames, classes}, place);
    logits.watch();
    const Tensor loss = ctc_loss(logits, Layout::packed(lengths, place), {labels, counts});
    losses.push_back(loss.values()[0]);
    sum(loss).backward();
    gradients.push_back(logits.gradient());
  }
  EXPECT_NEAR(losses[1] / losses[0], 1, 1e-6);
  EXPECT_TRUE(close(gradients[1].values(), gradients[0].values(), {.absolute = 1e-4}));
}

TEST_P(Ctc, TooFewFramesAreRefusedOrSkipped) {
  Tensor logits = drawn(5, 3, 4);
  logits.watch();
  EXPECT_THAT(
      [&] {
        loss(logits, {2, 3}, {1, 1, 2}, {2, 1});
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr(
          "2 frames are too few for 2 labels (sequence 0), which take at least 3")));
  const Tensor losses = loss(logits, {2, 3}, {1, 1, 2}, {2, 1}, {.no_path = NoPath::skip});
  EXPECT_EQ(losses.values()[0], 0);
  EXPECT_GT(losses.values()[1], 0.1);
  sum(losses).backward();
  const auto dx = logits.gradient().values();
  for (size_t i = 0; i < dx.size(); ++i) {
    EXPECT_TRUE(std::isfinite(dx[i]));
    EXPECT_EQ(dx[i] == 0, i < 6) << i;
  }
}

TEST_P(Ctc, EmptySequencesCostNothing) {
  const Tensor logits = drawn(2, 3, 5);
  const Tensor losses = loss(logits, {0, 2}, {1}, {0, 1});
  EXPECT_EQ(losses.values()[0], 0);
  EXPECT_GT(losses.values()[1], 0);
  const Tensor none = loss(Tensor::zeros({0, 3}, GetParam()), {0}, {}, {0});
  EXPECT_THAT(none.values(), ::testing::ElementsAre(0));
}

TEST_P(Ctc, ExplainsWhatItNeeds) {
  const Tensor logits = drawn(4, 3, 6);
  EXPECT_THROW(loss(logits, {3}, {1}, {1}), Error) << "rows";
  EXPECT_THROW(loss(logits, {4}, {1, 2}, {1}), Error) << "labels";
  EXPECT_THROW(loss(logits, {2, 2}, {1}, {1}), Error) << "sequences";
  EXPECT_THROW(loss(logits, {4}, {0}, {1}), Error) << "a blank";
  EXPECT_THROW(loss(logits, {4}, {3}, {1}), Error) << "no class";
  EXPECT_THROW(loss(logits, {4}, {1}, {1}, {.blank = 3}), Error);
}

}  // namespace
}  // namespace heed::test::ctc_test
