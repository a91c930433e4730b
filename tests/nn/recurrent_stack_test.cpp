#include "heed/nn/recurrent_stack.h"

#include <cmath>

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "tests/nn/places.h"
#include "tests/support/gradients_reach.h"

namespace heed::test::recurrent_stack_test {
namespace {

class RecurrentStackTest : public OnEveryPlace {
 protected:
  /// Built for rows of width 3; hidden width 4 unless `settings` says otherwise.
  std::unique_ptr<RecurrentStack> stack(const Json& settings) const {
    auto made = std::make_unique<RecurrentStack>();
    apply(*made, Json::object().set("width", 4));
    apply(*made, settings);
    Init init(place(), 5);
    made->build(3, init);
    return made;
  }
  Layout packed(const std::vector<int32_t>& lengths) const {
    return Layout::packed(lengths, place());
  }
};
INSTANTIATE_TEST_SUITE_P(Everywhere, RecurrentStackTest, ::testing::ValuesIn(places()),
                         name_of_place);

Json with(const std::string& cell, const std::string& direction = "forward", int64_t depth = 1) {
  return Json::object().set("cell", cell).set("direction", direction).set("depth", depth);
}

Tensor rows_of(const Tensor& x, int64_t begin, int64_t count) { return slice(x, 0, begin, count); }

/// "layers.1.backward.input.weight" → "weight_ih_l1_reverse"; a stack in one direction has no such
/// ending in the peer's file.
std::string peer_name(const std::string& ours, bool is_bidirectional) {
  const bool is_input = ours.find(".input.") != std::string::npos;
  const std::string what = ours.substr(ours.rfind('.') + 1);
  const bool is_backward = is_bidirectional && ours.find("backward") != std::string::npos;
  return what + (is_input ? "_ih_l" : "_hh_l") + ours.substr(7, 1) +
         (is_backward ? "_reverse" : "");
}

struct PeerCase {
  const FixtureCase& c;
  bool both = c.flag("bidirectional");
  bool has_cell = c.has("c0");
  std::vector<Tensor> leaves = {};  // h0, and c0

  std::vector<Tensor> state() {
    std::vector<Tensor> flat;
    for (const char* name : {"h0", "c0"}) {
      if (c.has(name)) {
        leaves.push_back(c.tensor(name).clone().watch());
      }
    }
    for (int64_t i = 0; i < leaves[0].size(0); ++i) {
      for (const Tensor& leaf : leaves) {
        flat.push_back(squeeze(rows_of(leaf, i, 1), 0));
      }
    }
    return flat;
  }
  /// Tensors number first, first + each, … of a flat state, one behind the other.
  Tensor gathered(const std::vector<Tensor>& state, size_t first) const {
    std::vector<Tensor> some;
    for (size_t i = first; i < state.size(); i += leaves.size()) {
      some.push_back(unsqueeze(state[i], 0));
    }
    return concat(some, 0);
  }
};

void compare(PeerCase peer, const std::string& cell, const Place& place) {
  const FixtureCase& c = peer.c;
  const std::string direction = peer.both ? "both" : c.flag("reversed") ? "backward" : "forward";
  RecurrentStack stack;
  apply(stack, with(cell, direction, c.integer("layers")).set("width", c.integer("hidden")));
  Tensor x = c.tensor("x").clone().watch();  // [B, T, D]
  Init init(place, 1);
  stack.build(x.size(2), init);
  for (const NamedParameter& parameter : parameters_of(stack)) {
    copy_values(c.tensor(peer_name(parameter.name, peer.both)), *parameter.tensor);
  }
  const Layout layout = Layout::padded(c.tensor("lengths").values<int32_t>(), x.size(1), place);
  Pass pass = Pass::serving();
  const std::vector<Tensor> before = peer.state();
  const auto out = stack(reshape(x, {-1, x.size(2)}), layout, pass, before);
  const Tensor y = reshape(out.rows, {x.size(0), x.size(1), -1});
  EXPECT_TRUE(close(y, c.tensor("y"), 64));
  const Tensor h = peer.gathered(out.state, 0);
  EXPECT_TRUE(close(h, c.tensor("h_n"), 64));
  Tensor total = sum(y * c.tensor("d_y")) + sum(h * c.tensor("d_h_n"));
  if (peer.has_cell) {
    const Tensor cells = peer.gathered(out.state, 1);
    EXPECT_TRUE(close(cells, c.tensor("c_n"), 64));
    total = total + sum(cells * c.tensor("d_c_n"));
  }
  total.backward();
  const Tolerance within = scaled(tolerance(place.dtype, 256), 4);
  EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), within));
  EXPECT_TRUE(close(peer.leaves[0].gradient(), c.tensor("d_h0"), within));
  if (peer.has_cell) {
    EXPECT_TRUE(close(peer.leaves[1].gradient(), c.tensor("d_c0"), within));
  }
  for (const NamedParameter& parameter : parameters_of(stack)) {
    const std::string name = peer_name(parameter.name, peer.both);
    EXPECT_TRUE(close(parameter.tensor->gradient(), c.tensor("d_" + name), within)) << name;
  }
}

TEST_P(RecurrentStackTest, EqualsThePeersForwardAndBackward) {
  const RanOn guard(place());
  int met = 0;
  for (const std::string file : {"rnn", "gru", "lstm"}) {
    for (const FixtureCase& c : read_fixture(file, place())) {
      SCOPED_TRACE(file + " " + c.name);
      const bool is_relu = c.has_setting("activation") && c.text("activation") == "relu";
      compare({c}, is_relu ? "rnn_relu" : file, place());
      ++met;
    }
  }
  EXPECT_EQ(met, 16);
}

TEST_P(RecurrentStackTest, StepsEqualTheWholeSequence) {
  for (const auto& cell : cells()) {
    SCOPED_TRACE(cell.name);
    const auto layers = stack(with(cell.name, "forward", 2).set("residual", true));
    const Layout layout = packed({4, 4});
    const Tensor x = normal({8, 3});
    Pass pass = Pass::serving();
    const auto whole = (*layers)(x, layout, pass);
    std::vector<Tensor> state;
    for (int64_t t = 0; t < 4; ++t) {
      const Tensor now = concat({rows_of(x, t, 1), rows_of(x, 4 + t, 1)}, 0);
      const Tensor y = layers->step(now, state, pass);
      const Tensor expected = concat({rows_of(whole.rows, t, 1), rows_of(whole.rows, 4 + t, 1)}, 0);
      EXPECT_TRUE(close(y, expected, 64));
    }
    ASSERT_EQ(static_cast<int64_t>(state.size()), layers->state_size());
    for (size_t i = 0; i < state.size(); ++i) {
      EXPECT_TRUE(close(state[i], whole.state[i], 64));
    }
  }
}

TEST_P(RecurrentStackTest, GoesOnFromAState) {
  for (const auto& cell : cells()) {
    SCOPED_TRACE(cell.name);
    const auto layers = stack(with(cell.name, "forward", 2));
    const Tensor x = normal({5, 3});
    Pass pass = Pass::serving();
    const auto whole = (*layers)(x, packed({5}), pass);
    const auto first = (*layers)(rows_of(x, 0, 2), packed({2}), pass);
    const auto second = (*layers)(rows_of(x, 2, 3), packed({3}), pass, first.state);
    EXPECT_TRUE(close(concat({first.rows, second.rows}, 0), whole.rows, 64));
    EXPECT_TRUE(close(second.state.back(), whole.state.back(), 64));
  }
}

TEST_P(RecurrentStackTest, ASequenceAloneEqualsItselfInABatchAndPaddingNeverLeaks) {
  for (const auto& cell : cells()) {
    for (const char* direction : {"forward", "backward", "both"}) {
      SCOPED_TRACE(cell.name + " " + direction);
      const auto layers = stack(with(cell.name, direction, 2));
      Pass pass = Pass::serving();
      const Tensor x = normal({8, 3});
      const auto batch = (*layers)(x, packed({2, 5, 1}), pass);
      const auto alone = (*layers)(rows_of(x, 2, 5), packed({5}), pass);
      EXPECT_TRUE(close(rows_of(batch.rows, 2, 5), alone.rows, 64));
      for (size_t i = 0; i < alone.state.size(); ++i) {
        EXPECT_TRUE(close(rows_of(batch.state[i], 1, 1), alone.state[i], 64));
      }
      // The same in blocks of 6 rows, those between the sequences full of NaN.
      const Tensor nothing = Tensor::full({6, 3}, NAN, place());
      const Tensor padded =
          concat({rows_of(x, 0, 2), rows_of(nothing, 0, 4), rows_of(x, 2, 5),
                  rows_of(nothing, 0, 1), rows_of(x, 7, 1), rows_of(nothing, 0, 5)},
                 0);
      const std::vector<int32_t> lengths = {2, 5, 1};
      const auto spread = (*layers)(padded, Layout::padded(lengths, 6, place()), pass);
      EXPECT_TRUE(close(rows_of(spread.rows, 6, 5), alone.rows, 64));
      EXPECT_TRUE(close(rows_of(spread.rows, 2, 1), std::vector<double>(layers->width(), 0)));
      EXPECT_TRUE(close(spread.state[0], batch.state[0], 64));
    }
  }
}

TEST_P(RecurrentStackTest, EmptySequencesKeepTheirState) {
  const auto layers = stack(with("lstm"));
  Pass pass = Pass::serving();
  const auto mixed = (*layers)(normal({2, 3}), packed({0, 2}), pass);
  EXPECT_TRUE(close(rows_of(mixed.state[0], 0, 1), {0, 0, 0, 0}));
  const std::vector<Tensor> before = {normal({2, 4}, 1), normal({2, 4}, 2)};
  const auto none = (*layers)(Tensor::empty({0, 3}, place()), packed({0, 0}), pass, before);
  EXPECT_EQ(none.rows.shape(), (Shape{0, 4}));
  EXPECT_TRUE(same_bits(none.state[0], before[0]));
  EXPECT_TRUE(same_bits(none.state[1], before[1]));
}

TEST_P(RecurrentStackTest, ResidualAddsALayersInputFromTheSecondOn) {
  const auto plain = stack(with("gru", "both", 2));
  const auto residual = stack(with("gru", "both", 2).set("residual", true));
  const auto first = stack(with("gru", "both", 1));  // the same seed: the same first layer
  Pass pass = Pass::serving();
  const Tensor x = normal({5, 3});
  const Layout layout = packed({2, 3});
  EXPECT_TRUE(close((*residual)(x, layout, pass).rows,
                    (*plain)(x, layout, pass).rows + (*first)(x, layout, pass).rows, 16));
  EXPECT_EQ(residual->width(), 8);
}

TEST_P(RecurrentStackTest, DropsBetweenLayersWhileTraining) {
  const auto layers = stack(with("gru", "forward", 2).set("dropout", 0.5));
  const Tensor x = normal({5, 3});
  const auto run = [&](Pass pass) { return (*layers)(x, packed({5}), pass).rows.values(); };
  EXPECT_EQ(run(Pass::serving()), run(Pass::serving(9)));
  EXPECT_EQ(run(Pass::training(1, 2)), run(Pass::training(1, 2)));
  EXPECT_NE(run(Pass::training(1, 2)), run(Pass::training(1, 3)));
  const auto single = stack(with("gru", "forward", 1).set("dropout", 0.5));
  Pass training = Pass::training(1, 2);
  Pass serving = Pass::serving();
  EXPECT_TRUE(
      same_bits((*single)(x, packed({5}), training).rows, (*single)(x, packed({5}), serving).rows));
}

TEST_P(RecurrentStackTest, GradientsReachEveryParameterOfEveryCell) {
  for (const auto& cell : cells()) {
    SCOPED_TRACE(cell.name);
    const auto layers = stack(with(cell.name, "both", 2));
    Pass pass = Pass::serving();
    EXPECT_TRUE(gradients_reach(*layers, [&] {
      return (*layers)(normal({7, 3}), packed({4, 3}), pass).rows;
    }));
  }
}

TEST_P(RecurrentStackTest, BeginsOrthogonalWithAnOpenForgetGate) {
  const auto layers = stack(with("lstm").set("forget_bias", 1.5));
  const std::vector<double> bias = parameter_named(*layers, "layers.0.forward.input.bias").values();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(bias[i], i / 4 == 1 ? 1.5 : 0) << i;
  }
  EXPECT_TRUE(close(parameter_named(*layers, "layers.0.forward.bias"), std::vector<double>(16, 0)));
  const std::vector<double> w = parameter_named(*layers, "layers.0.forward.weight").values();
  for (int gate = 0; gate < 4; ++gate) {
    for (int i = 0; i < 4; ++i) {
      double square = 0;
      for (int j = 0; j < 4; ++j) {
        square += w[(gate * 4 + i) * 4 + j] * w[(gate * 4 + i) * 4 + j];
      }
      EXPECT_NEAR(square, 1, 1e-5);
    }
  }
  const double bound = std::sqrt(6.0 / (3 + 4));  // of one gate, not of all four together
  double largest = 0;
  for (const double v : parameter_named(*layers, "layers.0.forward.input.weight").values()) {
    largest = std::max(largest, std::abs(v));
  }
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.8 * bound);
}

TEST_P(RecurrentStackTest, OwnersMayFixTheCellAndTheDirection) {
  RecurrentStack fixed({.cell = "elman", .is_one_way = true});
  for (const SettingHelp& line : explain(fixed)) {
    EXPECT_NE(line.path, "cell");
    EXPECT_NE(line.path, "direction");
    EXPECT_NE(line.path, "forget_bias");
  }
  EXPECT_EQ(fixed.state_size(), 1);
  EXPECT_THROW(RecurrentStack({.cell = "grru"}), Error);
}

TEST_P(RecurrentStackTest, RefusesAStateThatDoesNotFitAndStepsBackwards) {
  const auto forward = stack(with("lstm"));
  Pass pass = Pass::serving();
  std::vector<Tensor> half = {normal({1, 4})};
  EXPECT_THROW(forward->step(normal({1, 3}), half, pass), Error);
  EXPECT_THROW((*forward)(normal({1, 3}), packed({1}), pass, half), Error);
  const auto both = stack(with("lstm", "both"));
  std::vector<Tensor> none;
  EXPECT_THROW(both->step(normal({1, 3}), none, pass), Error);
}

}  // namespace
}  // namespace heed::test::recurrent_stack_test
