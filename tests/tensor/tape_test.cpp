#include "heed/tensor/tape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/backends.h"
#include "tests/tensor/steps.h"

namespace heed::tape_test {
namespace {

using test::passed_into;
using test::plus;
using test::renamed;
using test::times;
using test::total;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Place reference_f64() { return {&test::forced("reference"), DType::f64}; }

Tensor leaf(const std::vector<double>& values) {
  Tensor x = Tensor::of(values, {static_cast<int64_t>(values.size())}, reference_f64());
  return x.watch();
}

TEST(Tape, AddsOverEveryPathFromALeaf) {
  const Tensor x = leaf({2, 3});
  total(plus(times(x, x), x)).backward();  // 2x + 1
  EXPECT_THAT(x.gradient().values(), ElementsAre(5, 7));
}

TEST(Tape, PassesASharedSubexpressionOnce) {
  const Tensor x = leaf({3});
  int passes = 0;
  const Tensor shared = record(x.clone(), {x}, [&passes](Gradients& g) {
    ++passes;
    g.add(0, g.of(0));
  });
  times(times(shared, shared), shared).backward();
  EXPECT_EQ(passes, 1);
  EXPECT_THAT(x.gradient().values(), ElementsAre(27));
}

TEST(Tape, GathersOverSeveralBackwardPasses) {
  Tensor x = leaf({1, 2});
  total(times(x, x)).backward();
  total(x).backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(3, 5));
  x.clear_gradient();
  EXPECT_FALSE(x.gradient().defined());
}

TEST(Tape, SumsOverAxesAlongWhichAnInputWasBroadcast) {
  Tensor row = Tensor::of<double>({1, 2, 3}, {3}, reference_f64());
  Tensor column = Tensor::of<double>({10, 20}, {2, 1}, reference_f64());
  row.watch();
  column.watch();
  total(times(row, column)).backward();
  EXPECT_THAT(row.gradient().values(), ElementsAre(30, 30, 30));
  EXPECT_THAT(column.gradient().values(), ElementsAre(6, 6));
  EXPECT_EQ(column.gradient().shape(), (Shape{2, 1}));
}

/// (2x, 3x) as one node.
std::vector<Tensor> two_outputs(const Tensor& x, std::vector<bool>* arrived) {
  std::vector<Tensor> out{test::mapped(function<fn::Affine>, {x}, {.a = 2}),
                          test::mapped(function<fn::Affine>, {x}, {.a = 3})};
  record(out, std::span(&x, 1), [arrived](Gradients& g) {
    *arrived = {g.arrived(0), g.arrived(1)};
    g.add(0, test::mapped(function<fn::Mix>, {g.of(0), g.of(1)}, {.a = 2, .b = 3}));
  });
  return out;
}

TEST(Tape, TakesTheGradientsOfAllOutputsAtOnce) {
  const Tensor x = leaf({1, 1});
  std::vector<bool> arrived;
  const auto y = two_outputs(x, &arrived);
  total(times(y[0], y[1])).backward();  // 6x²
  EXPECT_THAT(arrived, ElementsAre(true, true));
  EXPECT_THAT(x.gradient().values(), ElementsAre(12, 12));
}

TEST(Tape, SaysWhichOutputsNothingDependedOn) {
  const Tensor x = leaf({1, 1});
  std::vector<bool> arrived;
  const auto y = two_outputs(x, &arrived);
  total(y[1]).backward();
  EXPECT_THAT(arrived, ElementsAre(false, true));
  EXPECT_THAT(x.gradient().values(), ElementsAre(3, 3));
}

TEST(Tape, SaysWhichInputsWantAGradient) {
  const Tensor x = leaf({1});
  const Tensor constant = Tensor::full({1}, 2, reference_f64());
  std::vector<bool> wanted;
  record(x.clone(), {x, constant}, [&wanted](Gradients& g) {
    wanted = {g.wanted(0), g.wanted(1)};
    g.add(1, g.of(0));
    EXPECT_THROW(g.into(1), Error);
  }).backward();
  EXPECT_THAT(wanted, ElementsAre(true, false));
}

TEST(Tape, FreesKeptValuesWhileBackwardPasses) {
  constexpr int64_t count = 1 << 17;
  constexpr int64_t bytes = count * 8;
  const Place place = reference_f64();
  const CachingAllocator& allocator = place.backend->allocator();
  Tensor x = Tensor::full({count}, 1, place);
  x.watch();
  const int64_t before = allocator.statistics().live_bytes;
  std::vector<int64_t> live;
  Tensor y = x;
  for (int step = 0; step < 6; ++step) {
    y = record(test::mapped(function<fn::Exp>, {y}), {y},
               [kept = y.clone(), &live, &allocator](Gradients& g) {
                 live.push_back(allocator.statistics().live_bytes);
                 g.add(0, g.of(0));
               });
  }
  const Tensor loss = total(y);
  y = {};
  loss.backward();
  ASSERT_EQ(live.size(), 6U);
  for (size_t i = 1; i < live.size(); ++i) {
    EXPECT_EQ(live[i], live[i - 1] - bytes) << "step " << i;
  }
  EXPECT_LT(allocator.statistics().live_bytes - before, 2 * bytes);  // x's gradient
}

TEST(Tape, ASecondPassOverOneHistoryIsAnError) {
  const Tensor x = leaf({1});
  const Tensor shared = times(x, x);
  const Tensor y = plus(shared, x);
  const Tensor z = times(shared, shared);
  y.backward();
  const auto message = ThrowsMessage<Error>(HasSubstr("passed before"));
  EXPECT_THAT([&] { y.backward(); }, message);
  EXPECT_THAT([&] { z.backward(); }, message);
}

TEST(Tape, AnErrorInOneStepLeavesNoStepWaiting) {
  const Tensor x = leaf({1});
  bool broken = true;
  const Tensor shared = times(x, x);
  const Tensor y = record(shared.clone(), {shared, x}, [&broken](Gradients& g) {
    require(!broken, "step: saw a fault");
    g.add(0, g.of(0));
  });
  // The branch that comes later reaches `shared` before the fault.
  const Tensor z = plus(y, renamed(shared));
  EXPECT_THROW(z.backward(), Error);
  broken = false;
  renamed(shared).backward();
  EXPECT_TRUE(x.gradient().defined());
}

TEST(Tape, NeedsASeedOfTheRightShape) {
  const Tensor x = leaf({1, 2});
  const Tensor y = times(x, x);
  EXPECT_THAT([&] { y.backward(); }, ThrowsMessage<Error>(HasSubstr("needs one element")));
  EXPECT_THROW(y.backward(Tensor::full({3}, 1, reference_f64())), Error);
  y.backward(Tensor::of<double>({10, 100}, {2}, reference_f64()));
  EXPECT_THAT(x.gradient().values(), ElementsAre(20, 400));
  EXPECT_THROW(Tensor::full({1}, 1, reference_f64()).backward(), Error);
}

TEST(Tape, LeavesNeverShareAGradientsMemory) {
  Tensor x = leaf({1, 2});
  Tensor y = leaf({3, 4});
  const Tensor seed = Tensor::full({2}, 1, reference_f64());
  plus(x, renamed(y)).backward(seed);
  x.backend().fill(x.gradient().view(), 7);
  EXPECT_THAT(y.gradient().values(), ElementsAre(1, 1));
  EXPECT_THAT(seed.values(), ElementsAre(1, 1));
}

TEST(Tape, ALeafsGradientIsDense) {
  const Tensor x = leaf({1, 2, 3});
  total(x).backward();
  EXPECT_TRUE(x.gradient().view().is_contiguous());
  x.backend().fill(x.gradient().view(), 7);
  EXPECT_THAT(x.gradient().values(), ElementsAre(7, 7, 7));
}

TEST(Tape, AHandleOnAGradientIsNotWrittenBehindItsBack) {
  const Tensor x = leaf({1, 2});
  total(x).backward();
  const Tensor held = x.gradient();
  total(passed_into(x)).backward();
  EXPECT_THAT(held.values(), ElementsAre(1, 1));
  EXPECT_THAT(x.gradient().values(), ElementsAre(2, 2));
}

TEST(Tape, ATargetIsFreshOnceAndThenHoldsWhatWasWritten) {
  const Tensor x = leaf({1, 2});
  std::vector<bool> fresh;
  const auto written = [&fresh](const Tensor& from) {
    return record(from.clone(), {from}, [&fresh](Gradients& g) {
      const Gradients::Target to = g.target(0);
      fresh.push_back(to.is_fresh);
      const View operands[] = {to.is_fresh ? g.of(0).view() : to.gradient.view(), g.of(0).view()};
      g.of(0).backend().map(to.is_fresh ? function<fn::Maximum> : function<fn::Add>,
                            to.gradient.view(), operands, {});
    });
  };
  plus(written(x), written(x)).backward(Tensor::full({2}, 3, reference_f64()));
  EXPECT_THAT(fresh, ElementsAre(true, false));
  EXPECT_THAT(x.gradient().values(), ElementsAre(6, 6));
}

TEST(Tape, AGradientThatIsTakenMayBeWrittenOverWhereItIsAlone) {
  const Tensor x = leaf({1, 2});
  std::vector<bool> alone;
  const auto doubled = [&alone](const Tensor& from) {
    return record(from.clone(), {from}, [&alone](Gradients& g) {
      const Tensor taken = g.take();
      alone.push_back(taken.owns_memory_alone());
      g.add(0, test::mapped(function<fn::Affine>, {taken}, {.a = 2}));
    });
  };
  const Tensor seed = Tensor::full({2}, 3, reference_f64());
  doubled(doubled(x)).backward(seed);
  EXPECT_THAT(alone, ElementsAre(false, true));  // the seed is the caller's
  EXPECT_THAT(x.gradient().values(), ElementsAre(12, 12));
  EXPECT_THAT(seed.values(), ElementsAre(3, 3));
}

TEST(Tape, WatchNeedsAFloatingType) {
  Tensor indices = Tensor::full({2}, 1, reference_f64().with(DType::i32));
  EXPECT_THROW(indices.watch(), Error);
}

TEST(Tape, RecordsNothingUnderNoGrad) {
  const Tensor x = leaf({1});
  {
    const NoGrad outer;
    {
      const NoGrad inner;
      EXPECT_FALSE(gradients_enabled());
    }
    EXPECT_FALSE(recording({x}));
    EXPECT_FALSE(times(x, x).needs_gradient());
    bool enabled_elsewhere = false;
    std::thread([&] { enabled_elsewhere = gradients_enabled(); }).join();
    EXPECT_TRUE(enabled_elsewhere);
  }
  EXPECT_TRUE(recording({x}));
  EXPECT_TRUE(times(x, x).needs_gradient());
}

TEST(Tape, RecordsNothingInsideABackwardFunction) {
  const Tensor x = leaf({2});
  bool recorded = true;
  record(x.clone(), {x}, [x, &recorded](Gradients& g) {
    recorded = times(x, x).needs_gradient();
    g.add(0, g.of(0));
  }).backward();
  EXPECT_FALSE(recorded);
}

constexpr int long_chain = 100'000;

TEST(Tape, ALongChainPassesWithoutRecursion) {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int step = 0; step < long_chain; ++step) {
    y = renamed(y);
  }
  y.backward();
  EXPECT_THAT(x.gradient().values(), ElementsAre(1));
}

TEST(Tape, ALongChainIsFreedWithoutRecursion) {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int step = 0; step < long_chain; ++step) {
    y = plus(y, y);
  }
  y = {};
  EXPECT_TRUE(x.needs_gradient());
}

}  // namespace
}  // namespace heed::tape_test
