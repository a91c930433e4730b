// All steps of a recurrent layer in one call, bit for bit those of one call for each part of a step.
#include <gtest/gtest.h>

#include <array>

#include "heed/device/kernel/recurrent.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/recurrent.h"
#include "heed/ops/reduce.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"

namespace heed::test::recurrent_slot_test {
namespace {

struct Case {
  std::string cell;
  int64_t rows, steps, width;
  bool is_reversed, has_lengths, has_state;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string cell : {"lstm", "gru"}) {
    for (const bool is_reversed : {false, true}) {
      for (const bool has_lengths : {false, true}) {
        all.push_back({cell, 3, 6, 17, is_reversed, has_lengths, false});
        all.push_back({cell, 70, 3, 32, is_reversed, has_lengths, true});
      }
    }
    all.push_back({cell, 1, 2, 1, false, false, true});
  }
  return all;
}

/// Results and gradients, and the calls of forward and backward.
struct Outcome {
  std::vector<Tensor> values;
  std::vector<std::string> forward;
  std::vector<std::string> backward;
};

Outcome outcome_on(RecordingBackend& backend, const Case& c) {
  const Place place{&backend, DType::f32};
  const auto cell = cells().make(c.cell);
  uint64_t number = 0;
  const auto drawn = [&](const Shape& shape) {
    Tensor x = Tensor::random(shape, Distribution::normal, {3, 0, number++}, place);
    return x;
  };
  const int64_t columns = cell->gates * c.width;
  std::array leaves = {drawn({c.rows, c.steps, columns}), drawn({columns, c.width}),
                       drawn({columns}), drawn({c.rows, c.width}), drawn({c.rows, c.width})};
  for (Tensor& leaf : leaves) {
    leaf.watch();
  }
  RecurrentInput in;
  in.projected = leaves[0];
  in.weight = leaves[1];
  in.bias = leaves[2];
  in.reversed = c.is_reversed;
  if (c.has_state) {
    in.hidden = leaves[3];
    in.cell = cell->has_cell ? leaves[4] : Tensor();
  }
  if (c.has_lengths) {
    std::vector<int32_t> lengths;
    for (int64_t row = 0; row < c.rows; ++row) {
      lengths.push_back(static_cast<int32_t>(1 + row % c.steps));
    }
    in.lengths = Tensor::of(lengths, {c.rows}, place.with(DType::i32));
  }
  Outcome out;
  backend.take();
  const RecurrentOutput said = cell->run(in);
  out.forward = backend.take().calls;
  out.values = {said.outputs, said.hidden};
  if (cell->has_cell) {
    out.values.push_back(said.cell);
  }
  Tensor loss;
  for (const Tensor& each : out.values) {
    const Tensor part = sum(each * drawn(each.shape()));
    loss = loss.defined() ? loss + part : part;
  }
  backend.take();
  loss.backward();
  out.backward = backend.take().calls;
  for (const Tensor& leaf : leaves) {
    out.values.push_back(leaf.gradient());
  }
  return out;
}

int64_t count_of(const std::string& name, const std::vector<std::string>& calls) {
  return std::count_if(calls.begin(), calls.end(),
                       [&](const std::string& call) { return call.starts_with(name + " "); });
}

TEST(RecurrentSlot, HasTheBitsOfTheStepsOneByOne) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(fmt::format("{} {}×{}×{} reversed {} lengths {} state {}", c.cell, c.rows, c.steps,
                             c.width, c.is_reversed, c.has_lengths, c.has_state));
    RecordingBackend whole(forced("cpu"));
    RecordingBackend parts(forced("cpu"));
    parts.hide<RecurrentSteps>();
    parts.hide<RecurrentStepsGradient>();
    const Outcome a = outcome_on(whole, c);
    const Outcome b = outcome_on(parts, c);
    EXPECT_EQ(count_of("recurrent", a.forward), 1);
    EXPECT_EQ(count_of("recurrent_gradient", a.backward), 1);
    EXPECT_EQ(count_of(c.cell, a.forward), 0);
    EXPECT_EQ(count_of(c.cell, b.forward), c.steps);
    EXPECT_LT(a.forward.size() + a.backward.size(), 40U);
    ASSERT_EQ(a.values.size(), b.values.size());
    for (size_t i = 0; i < a.values.size(); ++i) {
      ASSERT_EQ(a.values[i].defined(), b.values[i].defined());
      if (a.values[i].defined()) {
        EXPECT_EQ(a.values[i].values<float>(), b.values[i].values<float>()) << "value " << i;
      }
    }
  }
}

}  // namespace
}  // namespace heed::test::recurrent_slot_test
