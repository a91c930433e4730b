// Checks for every combination of score, normaliser, focus and heads: values on cpu and on a far
// backend equal those on reference, gradients equal finite differences, reports do not change the context, rows that see
// nothing give zeros, and padding has no effect. Two suites include these checks: a sample of the
// combinations in every run, and all of them (2 240) where no sanitizer slows them down.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "heed/ops/slice.h"
#include "tests/attention/probe.h"
#include "tests/support/directional.h"
#include "tests/support/tolerance.h"

namespace heed::test {

/// `gumbel` has the gradient of its soft surrogate only while training (normaliser_test.cpp checks
/// that one).
inline Pass pass_for(const Arrangement& arranged) {
  return arranged.normaliser == "gumbel" ? Pass::serving(3) : Pass::training(3, 1);
}

inline bool is_finite(const Tensor& x) {
  for (const double value : x.values()) {
    if (!std::isfinite(value)) {
      return false;
    }
  }
  return true;
}

/// One in every `stride` of a score's combinations.
struct Share {
  std::string score;
  size_t stride = 1;
};
/// A failing test names the part.
inline void PrintTo(const Share& share, std::ostream* out) { *out << "score " << share.score; }

// Tests loop over combinations and name them in messages, because a process for each would cost
// more than running them.
class EveryArrangement : public ::testing::TestWithParam<Share> {
 protected:
  static std::vector<Arrangement> arrangements() {
    std::vector<Arrangement> mine;
    size_t seen = 0;
    for (const Arrangement& arranged : every_arrangement()) {
      if (arranged.score == GetParam().score && seen++ % GetParam().stride == 0) {
        mine.push_back(arranged);
      }
    }
    return mine;
  }
};

inline std::vector<Share> shares(size_t stride) {
  std::vector<Share> all;
  for (const std::string& score : scores().names()) {
    all.push_back({score, stride});
  }
  return all;
}

inline std::string name_of_share(const ::testing::TestParamInfo<Share>& info) {
  return info.param.score;
}

TEST_P(EveryArrangement, GradientsAgreeWithFiniteDifferences) {
  const Place place{&forced("reference"), DType::f64};
  const RanOn guard(place);
  for (const Arrangement& arranged : arrangements()) {
    Rig rig(arranged, place);
    const auto loss = [&] {
      Pass pass = pass_for(arranged);
      return probe(rig.look(pass, everything));
    };
    EXPECT_TRUE(gradient_agrees(rig.leaves(), loss)) << arranged.name();
  }
}

/// A rig that has looked, with gradients.
struct Looked {
  explicit Looked(const Arrangement& arranged, const std::string& backend)
      : rig(arranged, {&forced(backend), DType::f32}) {
    const RanOn guard(rig.place);
    Pass pass = Pass::training(3, 1);
    seen = rig.look(pass, everything);
    probe(seen, false).backward();
  }
  Rig rig;
  Attended seen;
};

inline void expect_agreement(Looked& quick, Looked& slow, const std::string& what) {
  EXPECT_TRUE(close(quick.seen.context, slow.seen.context, 64)) << what;
  EXPECT_TRUE(close(quick.seen.weights, slow.seen.weights, 64)) << what;
  EXPECT_TRUE(close(quick.seen.entropy, slow.seen.entropy, 64)) << what;
  const auto quick_leaves = quick.rig.leaves();
  const auto slow_leaves = slow.rig.leaves();
  for (size_t i = 0; i < quick_leaves.size(); ++i) {
    if (slow_leaves[i].gradient().defined()) {
      EXPECT_TRUE(close(quick_leaves[i].gradient(), slow_leaves[i].gradient(), 512))
          << what << " leaf " << i;
    }
  }
}

TEST_P(EveryArrangement, BackendsAgreeWithReference) {
  for (const Arrangement& arranged : arrangements()) {
    Looked slow(arranged, "reference");
    for (const char* name : {"cpu", "far"}) {
      Looked quick(arranged, name);
      expect_agreement(quick, slow, arranged.name() + " on " + name);
    }
  }
}

TEST_P(EveryArrangement, ReportsDoNotChangeTheContext) {
  const Place place{&forced("cpu"), DType::f32};
  for (const Arrangement& arranged : arrangements()) {
    const Rig rig(arranged, place);
    EXPECT_TRUE(same_bits(rig.look().context, rig.look(everything).context)) << arranged.name();
  }
}

TEST_P(EveryArrangement, RowsThatSeeNothingGiveZeroWeights) {
  const Place place{&forced("reference"), DType::f32};
  for (const Arrangement& arranged : arrangements()) {
    Rig rig(arranged, place);
    const Attended seen = rig.look(everything);
    EXPECT_TRUE(is_finite(seen.context)) << arranged.name();
    // Rows 3 and 4 belong to the memory without slots.
    for (const double weight : slice(seen.weights, 0, 3, 2).values()) {
      EXPECT_EQ(weight, 0) << arranged.name();
    }
    probe(seen).backward();
    for (const Tensor& leaf : rig.leaves()) {
      EXPECT_TRUE(!leaf.gradient().defined() || is_finite(leaf.gradient())) << arranged.name();
    }
  }
}

TEST_P(EveryArrangement, ARowAloneEqualsTheRowInABatch) {
  const Place place{&forced("cpu"), DType::f32};
  for (const Arrangement& arranged : arrangements()) {
    const Rig rig(arranged, place);
    const Attended together = rig.look(everything);
    // The first sequence: its memory of 4 slots lies in a batch 5 wide.
    Rig alone(arranged, place, {3}, {4});
    alone.query = slice(rig.query, 0, 0, 3).clone();
    alone.memory = slice(rig.memory, 0, 0, 4).clone();
    const Attended single = alone.look(everything);
    EXPECT_TRUE(close(single.context, slice(together.context, 0, 0, 3), 64)) << arranged.name();
    EXPECT_TRUE(close(single.weights, slice(slice(together.weights, 0, 0, 3), 2, 0, 4), 64))
        << arranged.name();
    for (const double beyond : slice(slice(together.weights, 0, 0, 3), 2, 4, 1).values()) {
      EXPECT_EQ(beyond, 0) << arranged.name();
    }
  }
}

}  // namespace heed::test
