// The recurrent cells: against PyTorch, against themselves one step at a time, and what padding,
// batches and direction must not change.
#include "heed/ops/recurrent.h"

#include <cmath>
#include <limits>
#include <map>

#include "heed/ops/matmul.h"
#include "heed/ops/slice.h"
#include "tests/ops/cases_b.h"
#include "tests/support/fixture.h"

namespace heed::test::recurrent_test {
namespace {

constexpr int64_t summed = 256;  // terms behind an element, for the tolerance

/// Multi-layer and bidirectional stacks as PyTorch arranges them: state l·D + d belongs to layer l
/// in direction d.
class Stack {
 public:
  Stack(const FixtureCase& c, Cell cell) : case_(c), cell_(cell) {
    for (const auto& [name, tensor] : c.tensors()) {
      if (c.has("d_" + name) && name != "y" && name != "h_n" && name != "c_n") {
        leaves_[name] = tensor.clone();
        leaves_[name].watch();
      }
    }
  }

  void run() {
    Tensor x = leaves_.at("x");
    std::vector<Tensor> hidden;
    std::vector<Tensor> cell;
    const bool both = case_.flag("bidirectional");
    for (int64_t layer = 0; layer < case_.integer("layers"); ++layer) {
      std::vector<Tensor> ways;
      for (int64_t way = 0; way < (both ? 2 : 1); ++way) {
        const RecurrentOutput out = run_layer(x, layer, way, both ? 2 * layer + way : layer);
        ways.push_back(out.outputs);
        hidden.push_back(out.hidden);
        cell.push_back(out.cell);
      }
      x = concat(ways, 2);
    }
    outputs_ = {{"y", x}, {"h_n", stack(hidden, 0)}};
    if (cell_.has_cell) {
      outputs_["c_n"] = stack(cell, 0);
    }
  }

  void compare() {
    std::vector<Tensor> seeded;
    std::vector<Tensor> seeds;
    for (const auto& [name, value] : outputs_) {
      EXPECT_TRUE(close(value, case_.tensor(name), summed)) << name;
      seeded.push_back(value);
      seeds.push_back(case_.tensor("d_" + name));
    }
    Tensor joined = Tensor::zeros({}, seeds[0].place());
    record(std::span(&joined, 1), seeded, [seeds](Gradients& g) {
      for (size_t k = 0; k < seeds.size(); ++k) {
        g.add(k, seeds[k]);
      }
    });
    joined.backward();
    for (const auto& [name, leaf] : leaves_) {
      EXPECT_TRUE(close(leaf.gradient(), case_.tensor("d_" + name), summed))
          << "gradient of " << name;
    }
  }

 private:
  RecurrentOutput run_layer(const Tensor& x, int64_t layer, int64_t way, int64_t state) {
    const std::string tail = "_l" + std::to_string(layer) + (way == 1 ? "_reverse" : "");
    const auto start = [&](const std::string& name) {
      return leaves_.count(name) == 0 ? Tensor() : squeeze(slice(leaves_.at(name), 0, state, 1), 0);
    };
    return cell_.run(
        {.projected = linear(x, leaves_.at("weight_ih" + tail), leaves_.at("bias_ih" + tail)),
         .weight = leaves_.at("weight_hh" + tail),
         .bias = leaves_.at("bias_hh" + tail),
         .hidden = start("h0"),
         .cell = start("c0"),
         .lengths = case_.tensor("lengths"),
         .reversed = way == 1 || case_.flag("reversed")});
  }

  const FixtureCase& case_;
  Cell cell_;
  std::map<std::string, Tensor> leaves_;
  std::map<std::string, Tensor> outputs_;
};

class RecurrentOnPlace : public ::testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, RecurrentOnPlace, ::testing::ValuesIn(places()),
                         name_of_place);

TEST_P(RecurrentOnPlace, AgreesWithPyTorch) {
  for (const std::string file : {"rnn", "gru", "lstm"}) {
    for (const FixtureCase& c : read_fixture(file, GetParam())) {
      SCOPED_TRACE(file + " " + c.name);
      const bool relu = c.has_setting("activation") && c.text("activation") == "relu";
      const RanOn guard(GetParam());
      Stack stack(c, *cells().make(relu ? "rnn_relu" : file));
      stack.run();
      stack.compare();
    }
  }
}

/// A cell by its name in the catalogue, on a place.
class Recurrent : public ::testing::TestWithParam<std::tuple<std::string, Place>> {
 protected:
  Cell cell() const { return *cells().make(std::get<0>(GetParam())); }
  Place place() const { return std::get<1>(GetParam()); }

  std::vector<Tensor> inputs(int64_t rows, int64_t steps, int64_t width) const {
    const OpCase op{"", recurrent_shapes(cell(), rows, steps, width), nullptr};
    return inputs_of(op, place(), Lie::row_major);
  }
  Tensor lengths(const std::vector<int32_t>& values) const {
    return Tensor::of(values, {static_cast<int64_t>(values.size())}, place().with(DType::i32));
  }
};

INSTANTIATE_TEST_SUITE_P(Each, Recurrent,
                         ::testing::Combine(::testing::ValuesIn(cells().names()),
                                            ::testing::ValuesIn(places())),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_on_" +
                                  to_string(std::get<1>(info.param));
                         });

/// Outputs and gradients of `f` at `x`, which stays unwatched.
Evaluated evaluated(const std::vector<Tensor>& x, const std::function<Outputs(Inputs)>& f) {
  std::vector<Tensor> copies;
  for (const Tensor& each : x) {
    copies.push_back(each.clone());
  }
  return evaluate_at(f, copies);
}

void expect_close(const Evaluated& actual, const Evaluated& expected) {
  for (size_t k = 0; k < expected.outputs.size(); ++k) {
    EXPECT_TRUE(close(actual.outputs[k], expected.outputs[k], summed)) << "output " << k;
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    EXPECT_TRUE(close(actual.gradients[i], expected.gradients[i], summed)) << "gradient " << i;
  }
}

TEST_P(Recurrent, WholeSequenceEqualsLoopedSteps) {
  const auto x = inputs(3, 5, 4);
  const auto whole =
      evaluated(x, [&](Inputs in) { return outputs_of(cell().run(recurrent_input(in, false))); });
  const auto looped = evaluated(x, [&](Inputs in) -> Outputs {
    RecurrentInput input = recurrent_input(in, false);
    std::vector<Tensor> steps;
    for (int64_t t = 0; t < 5; ++t) {
      input.projected = slice(in[0], 1, t, 1);
      const RecurrentOutput out = cell().run(input);
      steps.push_back(out.outputs);
      input.hidden = out.hidden;
      input.cell = out.cell;
    }
    return outputs_of({concat(steps, 1), input.hidden, input.cell});
  });
  expect_close(whole, looped);
}

/// x [B, T, D] with the first n_b rows of each sequence in reverse order.
Tensor flipped(const Tensor& x, const std::vector<int32_t>& lengths) {
  std::vector<int32_t> index;
  for (const int32_t n : lengths) {
    for (int32_t t = 0; t < x.size(1); ++t) {
      index.push_back(t < n ? n - 1 - t : t);
    }
  }
  return gather_rows(x, Tensor::of(index, {x.size(0), x.size(1)}, x.place().with(DType::i32)));
}

TEST_P(Recurrent, ReversedEqualsFlippingByLengths) {
  const auto x = inputs(4, 5, 3);
  const Tensor n = lengths({5, 1, 3, 0});
  const auto reversed =
      evaluated(x, [&](Inputs in) { return outputs_of(cell().run(recurrent_input(in, true, n))); });
  const auto turned = evaluated(x, [&](Inputs in) {
    RecurrentInput input = recurrent_input(in, false, n);
    input.projected = flipped(in[0], {5, 1, 3, 0});
    RecurrentOutput out = cell().run(input);
    out.outputs = flipped(out.outputs, {5, 1, 3, 0});
    return outputs_of(out);
  });
  expect_close(reversed, turned);
}

/// `value` wherever a row of x [B, T, D] is at or beyond its length.
Tensor with_padding(const Tensor& x, const std::vector<int32_t>& lengths, double value) {
  auto values = x.values();
  const auto steps = static_cast<size_t>(x.size(1));
  const auto width = static_cast<size_t>(x.size(2));
  for (size_t b = 0; b < lengths.size(); ++b) {
    for (size_t t = static_cast<size_t>(lengths[b]); t < steps; ++t) {
      for (size_t d = 0; d < width; ++d) {
        values[(b * steps + t) * width + d] = value;
      }
    }
  }
  return Tensor::of(values, x.shape(), x.place());
}

TEST_P(Recurrent, PaddingNeverLeaks) {
  const std::vector<int32_t> n = {2, 4, 0};
  for (const bool reversed : {false, true}) {
    auto x = inputs(3, 4, 3);
    const auto run = [&](Inputs in) {
      return outputs_of(cell().run(recurrent_input(in, reversed, lengths(n))));
    };
    const Evaluated before = evaluated(x, run);
    for (const double value : {1e6, std::numeric_limits<double>::quiet_NaN()}) {
      x[0] = with_padding(x[0], n, value);
      const Evaluated after = evaluated(x, run);
      for (size_t k = 0; k < before.outputs.size(); ++k) {
        EXPECT_TRUE(same_bits(after.outputs[k], before.outputs[k])) << "output " << k;
      }
      for (size_t i = 0; i < before.gradients.size(); ++i) {
        EXPECT_TRUE(same_bits(after.gradients[i], before.gradients[i])) << "gradient " << i;
      }
    }
    EXPECT_TRUE(same_bits(before.outputs[0], with_padding(before.outputs[0], n, 0)));
    EXPECT_TRUE(same_bits(before.gradients[0], with_padding(before.gradients[0], n, 0)));
  }
}

TEST_P(Recurrent, AnEndedSequenceCarriesItsState) {
  const auto x = inputs(2, 3, 2);
  const RecurrentOutput out = cell().run(recurrent_input(x, false, lengths({0, 2})));
  EXPECT_TRUE(same_bits(slice(out.hidden, 0, 0, 1), slice(x[3], 0, 0, 1)));
  EXPECT_TRUE(same_bits(slice(out.hidden, 0, 1, 1),
                        reshape(slice(slice(out.outputs, 0, 1, 1), 1, 1, 1), {1, 2})));
  if (out.cell.defined()) {
    EXPECT_TRUE(same_bits(slice(out.cell, 0, 0, 1), slice(x[4], 0, 0, 1)));
  }
}

TEST_P(Recurrent, ARowAloneEqualsTheRowInABatch) {
  const auto x = inputs(3, 4, 3);
  const std::vector<int32_t> n = {4, 2, 3};
  for (const bool reversed : {false, true}) {
    const Outputs all = outputs_of(cell().run(recurrent_input(x, reversed, lengths(n))));
    for (int64_t row = 0; row < 3; ++row) {
      std::vector<Tensor> one = {slice(slice(x[0], 0, row, 1), 1, 0, n[row]), x[1], x[2]};
      for (size_t i = 3; i < x.size(); ++i) {
        one.push_back(slice(x[i], 0, row, 1));
      }
      const Outputs alone = outputs_of(cell().run(recurrent_input(one, reversed)));
      EXPECT_TRUE(close(alone[0], slice(slice(all[0], 0, row, 1), 1, 0, n[row]), summed));
      for (size_t k = 1; k < all.size(); ++k) {
        EXPECT_TRUE(close(alone[k], slice(all[k], 0, row, 1), summed)) << "output " << k;
      }
    }
  }
}

TEST_P(Recurrent, KeepsGatesOnlyWhereGradientsAreWanted) {
  auto x = inputs(8, 16, 8);
  CachingAllocator& allocator = place().backend->allocator();
  const int64_t state = 8 * 8 * static_cast<int64_t>(bytes_of(place().dtype));
  const auto kept = [&] {
    const int64_t before = allocator.statistics().live_bytes;
    const RecurrentOutput out = cell().run(recurrent_input(x, false));
    return allocator.statistics().live_bytes - before;
  };
  EXPECT_EQ(kept(), state * (16 + 1 + (cell().has_cell ? 1 : 0)));
  x[1].watch();
  EXPECT_GT(kept(), state * 16 * (1 + cell().gates));
}

TEST_P(Recurrent, OnlyWhatIsUsedNeedsAGradient) {
  auto x = inputs(2, 3, 2);
  x[3].watch();
  const RecurrentOutput out = cell().run(recurrent_input(x, false));
  out.hidden.backward(Tensor::full(out.hidden.shape(), 1, place()));
  EXPECT_TRUE(x[3].gradient().defined());
  EXPECT_FALSE(x[0].gradient().defined());
}

TEST_P(Recurrent, SaysWhatDoesNotFit) {
  const auto x = inputs(2, 3, 4);
  const auto refused = [&](auto change) {
    RecurrentInput input = recurrent_input(x, false);
    change(input);
    EXPECT_THROW(cell().run(input), Error);
  };
  const auto zeros = [&](const Shape& shape) { return Tensor::zeros(shape, place()); };
  refused([&](RecurrentInput& in) { in.projected = zeros({2, 3, 5}); });
  refused([&](RecurrentInput& in) { in.projected = zeros({2, 0, cell().gates * 4}); });
  refused([&](RecurrentInput& in) { in.weight = zeros({7, 4}); });
  refused([&](RecurrentInput& in) { in.bias = zeros({1}); });
  refused([&](RecurrentInput& in) { in.hidden = zeros({3, 4}); });
  refused([&](RecurrentInput& in) { in.lengths = lengths({1, 1, 1}); });
}

TEST(Cells, NameTheirGates) {
  EXPECT_EQ(cells().make("lstm")->gates, 4);
  EXPECT_TRUE(cells().make("lstm")->has_cell);
  EXPECT_EQ(cells().make("gru")->gates, 3);
  EXPECT_EQ(cells().make("elman")->gates, 1);
  EXPECT_THROW(cells().make("lstn"), Error);
}

}  // namespace
}  // namespace heed::test::recurrent_test
