// Attention with changes: slots closed, weights given, and everything else as it was.
#include "heed/attention/attention_changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/tensor/tape.h"
#include "tests/attention/rig.h"

namespace heed::test::attention_changes_test {
namespace {

constexpr int64_t row = 6;  // of the third sequence, whose memory has 5 slots
constexpr int64_t slots = 5;

Attended look_with(const Rig& rig, const std::vector<AttentionChange>& all,
                   const Report& report = {.weights = true}) {
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  const AttentionChanges changes(pass, all);
  return rig.look(pass, report);
}

std::vector<double> weights_of(const Attended& seen, int64_t at, int64_t head) {
  const std::vector<double> all = seen.weights.values();
  const int64_t heads = seen.weights.size(1);
  const auto first = all.begin() + (at * heads + head) * seen.weights.size(2);
  return {first, first + slots};
}

/// The elements of each row of x [N, …].
std::vector<double> row_of(const Tensor& x, int64_t at) {
  const std::vector<double> all = x.values();
  const auto width = x.numel() / x.size(0);
  return {all.begin() + at * width, all.begin() + (at + 1) * width};
}

class Changes : public ::testing::TestWithParam<Place> {
 protected:
  /// Every score with softmax, and every normaliser with dot products; some heads share keys.
  static std::vector<Arrangement> arrangements() {
    std::vector<Arrangement> all;
    for (const auto& score : scores()) {
      all.push_back({.score = score.name});
    }
    for (const auto& normaliser : normalisers()) {
      all.push_back({.normaliser = normaliser.name});
    }
    all.push_back({.heads = 4, .groups = 2, .project = true});
    all.push_back({.focus = {"window", "local_p"}, .heads = 2, .project = true});
    return all;
  }
  bool takes(const Rig& rig) const { return !rig.attention.reads_past(); }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, Changes, ::testing::ValuesIn(places()), name_of_place);

/// A search computes no gradients, and the CPU's kernel may then leave out rows that only pad.
TEST_P(Changes, OfNothingAreTheSameBits) {
  const NoGrad no_gradients;
  for (const Arrangement& one : arrangements()) {
    SCOPED_TRACE(one.name());
    const Rig rig(one, GetParam());
    const Attended usual = rig.look({.weights = true});
    const Attended same = look_with(rig, {{.block = 1, .row = row, .closed = {0}},
                                          {.is_within = true, .row = row, .closed = {0}}});
    EXPECT_EQ(same.context.values(), usual.context.values());
    EXPECT_EQ(same.weights.values(), usual.weights.values());
  }
}

TEST_P(Changes, OfOneRowAndHeadLeaveTheOthersTheirBits) {
  const NoGrad no_gradients;
  for (const Arrangement& one : arrangements()) {
    SCOPED_TRACE(one.name());
    const Rig rig(one, GetParam());
    if (!takes(rig)) {
      continue;
    }
    const Attended usual = rig.look({.weights = true});
    const int64_t heads = usual.weights.size(1);
    const Attended changed = look_with(rig, {{.head = heads - 1, .row = row, .closed = {0, 3}}});
    const std::vector<double> seen = weights_of(changed, row, heads - 1);
    EXPECT_EQ(seen[0], 0);
    EXPECT_EQ(seen[3], 0);
    for (int64_t at = 0; at < usual.weights.size(0); ++at) {
      for (int64_t head = 0; head < heads; ++head) {
        if (at != row || head != heads - 1) {
          EXPECT_EQ(weights_of(changed, at, head), weights_of(usual, at, head));
        }
      }
      if (at != row) {
        EXPECT_EQ(row_of(changed.context, at), row_of(usual.context, at));
      }
    }
  }
}

/// c = Σ_j α_j v_j, by hand: without projections the values are the memory's rows.
TEST_P(Changes, OfWeightsGiveTheirSum) {
  const Rig rig({}, GetParam());
  const std::vector<float> given = {0.5, 0, 0, 0.25};
  const Attended changed = look_with(rig, {{.row = row, .given = given}});
  EXPECT_EQ(weights_of(changed, row, 0), (std::vector<double>{0.5, 0, 0, 0.25, 0}));
  const std::vector<double> first = row_of(rig.memory, 4);  // behind the four of the first memory
  const std::vector<double> fourth = row_of(rig.memory, 7);
  const std::vector<double> context = row_of(changed.context, row);
  for (size_t i = 0; i < context.size(); ++i) {
    EXPECT_NEAR(context[i], 0.5 * first[i] + 0.25 * fourth[i], 1e-6);
  }
}

/// Softmax over what is left: α_j / (1 − Σ closed).
TEST_P(Changes, CloseBeforeWeightsAreNormalised) {
  const Rig rig({}, GetParam());
  const std::vector<double> usual = weights_of(rig.look({.weights = true}), row, 0);
  const std::vector<double> seen =
      weights_of(look_with(rig, {{.row = row, .closed = {1, 2, 99}}}), row, 0);
  const double left = 1 - usual[1] - usual[2];
  for (const size_t j : {0, 3, 4}) {
    EXPECT_NEAR(seen[j], usual[j] / left, 1e-6);
  }
}

TEST_P(Changes, MayCloseAll) {
  for (const Arrangement& one : arrangements()) {
    SCOPED_TRACE(one.name());
    const Rig rig(one, GetParam());
    if (takes(rig)) {
      const Attended seen = look_with(rig, {{.row = row, .closed = {0, 1, 2, 3, 4}}});
      EXPECT_EQ(weights_of(seen, row, 0), std::vector<double>(slots, 0));
    }
  }
}

TEST_P(Changes, AreInWhatIsReported) {
  const Rig rig({}, GetParam());
  const Report report{.argmax = true, .entropy = true, .distribution = true};
  const Attended usual = rig.look(report);
  const Attended seen = look_with(rig, {{.row = row, .given = {0, 0, 1}}}, report);
  EXPECT_FALSE(seen.weights.defined()) << "nobody asked";
  EXPECT_EQ(row_of(seen.argmax, row), std::vector<double>{2});
  EXPECT_NEAR(row_of(seen.entropy, row)[0], 0, 1e-6);
  EXPECT_EQ(row_of(seen.distribution, row)[2], 1);
  EXPECT_EQ(row_of(seen.argmax, 0), row_of(usual.argmax, 0));
  EXPECT_NEAR(row_of(seen.entropy, 0)[0], row_of(usual.entropy, 0)[0], 1e-6);
}

}  // namespace
}  // namespace heed::test::attention_changes_test
