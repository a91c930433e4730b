// The checks of every operator in a table of cases: values and gradients on each place against
// reference f64, the same with inputs that are not row-major, gradients against finite differences,
// and a guard that the work was done on the right backend.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "heed/base/philox.h"
#include "heed/tensor/gradcheck.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test {

using Inputs = std::span<const Tensor>;
using Outputs = std::vector<Tensor>;

/// Values drawn evenly from [lo, hi].
struct OpInput {
  Shape shape;
  double lo = -2;
  double hi = 2;
};

struct OpCase {
  std::string name;
  std::vector<OpInput> inputs;
  std::function<Outputs(Inputs)> f;
  int64_t length = 1;  // terms an element of an output or gradient sums up, for the tolerance
};

enum class Lie : uint8_t { row_major, strided };

/// The same numbers on every place: exact in f32.
inline std::vector<float> drawn(const OpInput& input, uint64_t place) {
  const Draws draws({.seed = 11, .stream = place});
  std::vector<float> values(static_cast<size_t>(input.shape.numel()));
  for (size_t e = 0; e < values.size(); ++e) {
    values[e] = static_cast<float>(input.lo + (input.hi - input.lo) * draws.uniform_double(e));
  }
  return values;
}

/// x behind reversed axes; a vector becomes every second element.
inline Tensor strided(const Tensor& x) {
  if (x.rank() == 0) {
    return x;
  }
  Shape around;
  std::vector<int> order(static_cast<size_t>(x.rank()));
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    order[static_cast<size_t>(axis)] = x.rank() - 1 - axis;
    around.push(x.shape()[axis] * (x.rank() == 1 ? 2 : 1));
  }
  const Tensor memory = Tensor::zeros(around, x.place());
  const View view =
      x.rank() == 1 ? sliced(memory.view(), 0, 0, x.numel(), 2) : permuted(memory.view(), order);
  x.backend().copy(view, x.view());
  return memory.seen_as(view);
}

inline std::vector<Tensor> inputs_of(const OpCase& op, const Place& place, Lie lie) {
  std::vector<Tensor> made;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor x = Tensor::of(drawn(op.inputs[i], i), op.inputs[i].shape, place);
    made.push_back(lie == Lie::strided ? strided(x) : x);
  }
  return made;
}

struct Evaluated {
  Outputs outputs;
  std::vector<Tensor> gradients;  // of Σ_k r_k · outputs_k, by input
};

/// Watches `inputs` and runs f forward and back.
inline Evaluated evaluate_at(const std::function<Outputs(Inputs)>& f, std::vector<Tensor> inputs) {
  for (Tensor& input : inputs) {
    input.watch();
  }
  Evaluated out{f(inputs), {}};
  std::vector<Tensor> watched;
  std::vector<Tensor> seeds;
  for (size_t k = 0; k < out.outputs.size(); ++k) {
    if (out.outputs[k].needs_gradient()) {
      watched.push_back(out.outputs[k]);
      seeds.push_back(Tensor::of(drawn({out.outputs[k].shape(), -1, 1}, 100 + k),
                                 out.outputs[k].shape(), out.outputs[k].place()));
    }
  }
  Tensor joined = Tensor::zeros({}, inputs[0].place());
  record(std::span(&joined, 1), watched, [seeds](Gradients& g) {
    for (size_t k = 0; k < seeds.size(); ++k) {
      g.add(k, seeds[k]);
    }
  });
  if (joined.needs_gradient()) {
    joined.backward();
  }
  for (const Tensor& input : inputs) {
    out.gradients.push_back(input.gradient());
  }
  return out;
}

inline Evaluated evaluate(const OpCase& op, const Place& place, Lie lie) {
  return evaluate_at(op.f, inputs_of(op, place, lie));
}

inline void expect_parity(const OpCase& op, const Place& place, Lie lie) {
  const Evaluated expected = evaluate(op, {&forced("reference"), DType::f64}, Lie::row_major);
  const Evaluated actual = [&] {  // comparing a view runs a copy on the reference: guard only this
    const RanOn guard(place);
    return evaluate(op, place, lie);
  }();
  ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
  for (size_t k = 0; k < expected.outputs.size(); ++k) {
    EXPECT_TRUE(close(actual.outputs[k], expected.outputs[k], op.length)) << "output " << k;
    EXPECT_EQ(actual.outputs[k].needs_gradient(), expected.outputs[k].needs_gradient());
  }
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    ASSERT_EQ(actual.gradients[i].defined(), expected.gradients[i].defined()) << "input " << i;
    if (expected.gradients[i].defined()) {
      EXPECT_TRUE(close(actual.gradients[i], expected.gradients[i], op.length))
          << "gradient of input " << i;
      EXPECT_EQ(actual.gradients[i].place(), place);
    }
  }
}

inline void expect_gradients(const OpCase& op) {
  const Place place{&forced("reference"), DType::f64};
  const GradcheckResult result = gradcheck(op.f, inputs_of(op, place, Lie::row_major));
  EXPECT_TRUE(result) << result.failure;
}

/// For tables of cases; `name_of_case` names a test after its case, `name_of_case_on` after both.
using OpOnPlace = std::tuple<OpCase, Place>;

inline std::string name_of_case(const ::testing::TestParamInfo<OpCase>& info) {
  return info.param.name;
}
inline std::string name_of_case_on(const ::testing::TestParamInfo<OpOnPlace>& info) {
  return std::get<0>(info.param).name + "_on_" + to_string(std::get<1>(info.param));
}
inline void PrintTo(const OpCase& op, std::ostream* out) { *out << op.name; }

}  // namespace heed::test
