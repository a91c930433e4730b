// Every setting of every module of this layer changes something; and a setting that changes nothing
// is found.
#include "tests/support/turn_settings.h"

#include <gtest/gtest-spi.h>

#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norms.h"
#include "heed/nn/positions.h"
#include "heed/nn/recurrent_stack.h"
#include "heed/ops/arithmetic.h"
#include "tests/nn/places.h"

namespace heed::test::turn_settings_test {
namespace {

const Place place{&forced("reference"), DType::f64};

Tensor normal(const Shape& shape) {
  return Tensor::random(shape, Distribution::normal, {7, 0, 0}, place);
}

/// What a probe sees: numbers and how many, so that a change of shape is a change.
std::vector<double> numbers(const Tensor& y) { return y.values(); }

/// For modules of one known type.
template <class M, class F>
Probe probe_of(F run) {
  return [run](Described& module) {
    auto& known = dynamic_cast<M&>(module);
    Init init(place, 3);
    return run(known, init);
  };
}

template <class M>
MakeDescribed maker() {
  return [] { return std::make_unique<M>(); };
}

TEST(TurnSettingsTest, FeedForward) {
  const auto probe = probe_of<FeedForward>([](FeedForward& layer, Init& init) {
    layer.build(4, init);
    for (const NamedParameter& p : parameters_of(layer)) {
      if (p.tensor->rank() == 1) {  // a bias begins at 0, where having it or not is one
        copy_values(Tensor::full(p.tensor->shape(), 0.5, place), *p.tensor);
      }
    }
    Pass pass = Pass::training(1, 1);
    return numbers(layer(normal({3, 4}), pass));
  });
  EXPECT_EQ(turn_every_setting(maker<FeedForward>(), probe), 5U);
}

TEST(TurnSettingsTest, Embedding) {
  const auto probe = probe_of<Embedding>([](Embedding& words, Init& init) {
    words.build(5, 3, init);
    const std::vector<int32_t> ids = {1, 4};
    return numbers(words(Tensor::of(ids, {2}, place.with(DType::i32))));
  });
  EXPECT_EQ(turn_every_setting(maker<Embedding>(), probe), 1U);
}

TEST(TurnSettingsTest, EveryNorm) {
  for (const auto& entry : norms()) {
    const auto probe = probe_of<Norm>([](Norm& norm, Init& init) {
      norm.build(4, init);
      return numbers(norm(normal({3, 4})));
    });
    const auto make = [&] { return make_part(norms(), entry.name); };
    EXPECT_EQ(turn_every_setting(make, probe), 1U) << entry.name;
  }
}

TEST(TurnSettingsTest, EveryPositionCode) {
  for (const auto& entry : positions()) {
    const auto probe = probe_of<PositionCode>([](PositionCode& code, Init& init) {
      code.build(4, init);
      const std::vector<int32_t> lengths = {6};
      return numbers(code(normal({6, 4}), positions_of(Layout::packed(lengths, place))));
    });
    // More positions than there are rows change nothing; fewer are refused.
    TurnOptions options;
    options.tries["maximum"] = {5};
    options.refused["maximum"] = "learned positions: there is no position 5, only those below 5";
    turn_every_setting([&] { return make_part(positions(), entry.name); }, probe, options);
  }
}

TEST(TurnSettingsTest, RecurrentStack) {
  const auto probe = probe_of<RecurrentStack>([](RecurrentStack& stack, Init& init) {
    stack.build(3, init);
    const std::vector<int32_t> lengths = {2, 4};
    Pass pass = Pass::training(1, 1);
    return numbers(stack(normal({6, 3}), Layout::packed(lengths, place), pass).rows);
  });
  TurnOptions options;
  options.tries["width"] = {5};
  options.given["residual"] = Json::object().set("depth", 2);
  options.given["dropout"] = Json::object().set("depth", 2);
  EXPECT_EQ(turn_every_setting(
                [] {
                  auto stack = std::make_unique<RecurrentStack>();
                  apply(*stack, Json::object().set("width", 4));
                  return stack;
                },
                probe, options),
            7U);
}

// --- the turner itself ---

struct Dead : Module {
  bool unread = false;
  int64_t read = 3;
  std::vector<std::unique_ptr<Norm>> parts;

  Dead() { parts.push_back(make_part(norms(), "rms_norm")); }
  void describe(Describer& d) override {
    d.setting("unread", unread, {"does nothing"});
    d.setting("read", read, {.help = "does something", .least = 1, .most = 4});
    d.parts("parts", parts, norms(), {"several"});
  }
};

std::vector<double> probe_dead(Described& module) {
  auto& dead = dynamic_cast<Dead&>(module);
  require(dead.read != 4, "dead: saw 4, needs less");
  std::vector<double> seen = {static_cast<double>(dead.read)};
  Init init(place, 1);
  for (const auto& part : dead.parts) {
    part->build(4, init);
    const std::vector<double> y = (*part)(normal({1, 4})).values();
    seen.insert(seen.end(), y.begin(), y.end());
  }
  return seen;
}

TEST(TurnSettingsTest, FindsTheOneSettingThatDoesNothing) {
  ::testing::TestPartResultArray failures;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    EXPECT_EQ(turn_every_setting(maker<Dead>(), probe_dead), 4U);
  }
  ASSERT_EQ(failures.size(), 1);
  EXPECT_NE(std::string(failures.GetTestPartResult(0).message()).find("unread does nothing"),
            std::string::npos);
}

TEST(TurnSettingsTest, ARefusalCountsOnlyWhereItIsDocumented) {
  TurnOptions options;
  options.tries["read"] = {4};
  options.tries["unread"] = {};
  ::testing::TestPartResultArray failures;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    turn_every_setting(maker<Dead>(), probe_dead, options);
    options.refused["read"] = "needs less";
    turn_every_setting(maker<Dead>(), probe_dead, options);
  }
  EXPECT_EQ(failures.size(), 3);  // unread twice, read once
}

}  // namespace
}  // namespace heed::test::turn_settings_test
