// The elementwise, matrix, reducing and normalising operators as cases of the battery; to test
// another, add its line.
#pragma once

#include <limits>
#include <vector>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/dropout.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gumbel.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reduce.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/running_sum.h"
#include "heed/ops/select.h"
#include "heed/ops/softmax.h"
#include "heed/ops/topk.h"
#include "heed/ops/unit_rows.h"
#include "tests/ops/battery.h"

namespace heed::test {

using UnaryOp = Tensor (*)(const Tensor&);
using BinaryOp = Tensor (*)(const Tensor&, const Tensor&);

inline OpCase unary(std::string name, UnaryOp f, double lo = -2, double hi = 2,
                    const Shape& shape = {2, 3, 5}) {
  return {std::move(name), {{shape, lo, hi}}, [f](Inputs x) -> Outputs { return {f(x[0])}; }};
}

/// Equal shapes in one output, broadcast ones in the other.
inline OpCase binary(std::string name, BinaryOp f, double lo = -2, double hi = 2) {
  return {std::move(name),
          {{{2, 3, 4}}, {{2, 3, 4}, lo, hi}, {{3, 1}, lo, hi}, {{1, 4}}},
          [f](Inputs x) -> Outputs {
            return {f(x[0], x[1]), f(x[0], x[2]), f(x[3], x[2])};
          },
          16};
}

inline Tensor indices(const std::vector<int32_t>& values, const Shape& shape, const Tensor& like) {
  return Tensor::of(values, shape, like.place().with(DType::i32));
}

/// 0 where a pattern of 1 and 0 (row-major, over and over) has 1, else −∞.
inline Tensor mask(const std::vector<int>& pattern, const Shape& shape, const Tensor& like) {
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  for (size_t e = 0; e < values.size(); ++e) {
    values[e] = pattern[e % pattern.size()] != 0 ? 0.0 : -std::numeric_limits<double>::infinity();
  }
  return Tensor::of(values, shape, like.place());
}

/// −∞ as 0, so that finite differences can be taken.
inline Tensor finite_part(const Tensor& x) { return select(less(-1e30, x.detached()), x, 0); }

inline std::vector<OpCase> arithmetic_cases() {
  return {
      binary("add", add),
      binary("subtract", subtract),
      binary("multiply", multiply),
      binary("divide", divide, 0.5, 2),
      binary("maximum", maximum),
      binary("minimum", minimum),
      unary("affine", [](const Tensor& x) { return affine(x, -1.5, 0.25); }),
      unary("absolute", absolute),
      unary("reciprocal", reciprocal, 0.3, 3),
      unary("clamp", [](const Tensor& x) { return clamp(x, -0.5, 1); }),
      unary("maximum_with_number", [](const Tensor& x) { return maximum(x, 0.25); }),
      unary("minimum_with_number", [](const Tensor& x) { return minimum(x, 0.25); }),
      unary("running_sum", running_sum),
      // Not longer: a difference of two large sums loses the digits that finite differences need.
      {"running_sum_of_many",
       {{{3, 1, 257}}},
       [](Inputs x) -> Outputs { return {running_sum(x[0])}; },
       64},
      unary("operators_with_numbers",
            [](const Tensor& x) { return (2 - x) * 3 + (-x) / 4 - 1 / (x + 5) + 0.5 * x; }),
      {"select",
       {{{2, 3}}, {{3}}, {{2, 1}}},
       [](Inputs x) -> Outputs {
         return {select(indices({1, 0, 7, 0, 1, 0}, {2, 3}, x[0]), x[0], x[1]),
                 select(x[0].detached(), x[1], x[2]), select(less(x[0].detached(), 0.5), x[1], 3),
                 select(less(0.5, x[0].detached()), -2, x[2])};
       },
       16},
      {"compare",
       {{{2, 3}}, {{3}}, {{2, 1}, 0, 2}},
       [](Inputs x) -> Outputs {
         return {equal(x[0], x[0]), less(x[0], x[1]), at_most(x[0], x[1]), within(x[0], x[1], x[2]),
                 equal(x[0], 0.5),  less(x[0], 0.5),  less(0.5, x[0]),     affine(x[0], 1)};
       }},
      {"cast",
       {{{2, 3}}},
       [](Inputs x) -> Outputs {
         const DType other = x[0].backend().supports(DType::f64) ? DType::f64 : DType::f32;
         return {cast(cast(x[0], other), x[0].dtype())};
       }},
  };
}

inline std::vector<OpCase> activation_cases() {
  return {
      unary("exp", exp),
      unary("log", log, 0.1, 4),
      unary("sqrt", sqrt, 0.1, 4),
      unary("tanh", tanh),
      unary("sigmoid", sigmoid, -6, 6),
      unary("relu", relu),
      unary("gelu", gelu, -4, 4),
      unary("gelu_tanh", gelu_tanh, -4, 4),
      unary("silu", silu, -5, 5),
      unary("softplus", softplus, -6, 6),
      unary("erf", erf, -3, 3),
      unary("sin", sin, -4, 4),
      unary("cos", cos, -4, 4),
      unary("tanh_of_many", tanh, -3, 3, {4099}),
      unary("gelu_of_one", gelu, -3, 3, {}),
      unary("dropout",
            [](const Tensor& x) { return dropout(x, 0.3, RandomKey{.seed = 3, .stream = 9}); }),
      unary("gumbel",
            [](const Tensor& x) {
              return add(x, gumbel_like(x, RandomKey{.seed = 3, .stream = 9}));
            }),
  };
}

inline std::vector<OpCase> matrix_cases() {
  return {
      {"matmul",
       {{{3, 4}}, {{4, 5}}},
       [](Inputs x) -> Outputs { return {matmul(x[0], x[1])}; },
       16},
      {"matmul_of_batches",
       {{{2, 3, 3, 4}}, {{2, 3, 4, 5}}},
       [](Inputs x) -> Outputs { return {matmul(x[0], x[1], {.scale = 0.5})}; },
       16},
      {"matmul_broadcast",
       {{{2, 1, 3, 4}}, {{3, 4, 5}}},
       [](Inputs x) -> Outputs { return {matmul(x[0], x[1])}; },
       64},
      {"matmul_one_matrix_on_the_right",
       {{{2, 3, 4}}, {{4, 5}}, {{5, 4}}},
       [](Inputs x) -> Outputs {
         return {matmul(x[0], x[1]), matmul(x[0], x[2], {.transpose_b = true, .scale = 2})};
       },
       64},
      {"matmul_one_matrix_on_the_left",
       {{{3, 4}}, {{2, 4, 5}}, {{4, 3}}},
       [](Inputs x) -> Outputs {
         return {matmul(x[0], x[1]), matmul(x[2], x[1], {.transpose_a = true})};
       },
       64},
      {"matmul_transposed",
       {{{2, 4, 3}}, {{2, 5, 4}}, {{2, 3, 4}}, {{2, 4, 5}}},
       [](Inputs x) -> Outputs {
         return {matmul(x[0], x[1], {.transpose_a = true, .transpose_b = true, .scale = 0.3}),
                 matmul(x[0], x[3], {.transpose_a = true}),
                 matmul(x[2], x[1], {.transpose_b = true})};
       },
       64},
      {"matmul_larger",
       {{{70, 33}, -1, 1}, {{33, 40}, -1, 1}},
       [](Inputs x) -> Outputs { return {matmul(x[0], x[1])}; },
       256},
      {"matmul_without_inner_axis",
       {{{2, 0}}, {{0, 3}}},
       [](Inputs x) -> Outputs { return {matmul(x[0], x[1])}; }},
      {"matmul_of_no_rows",
       {{{2, 0, 4}}, {{4, 3}}, {{2, 4, 3}}},
       [](Inputs x) -> Outputs {
         return {matmul(x[0], x[1]), matmul(x[0], x[2])};
       }},
      {"linear",
       {{{2, 3, 4}}, {{5, 4}}, {{5}}},
       [](Inputs x) -> Outputs {
         return {linear(x[0], x[1], x[2]), linear(x[0], x[1])};
       },
       64},
      {"linear_of_a_vector",
       {{{4}}, {{5, 4}}, {{5}}},
       [](Inputs x) -> Outputs { return {linear(x[0], x[1], x[2])}; },
       16},
      {"linear_used_twice",
       {{{3, 4}}, {{4, 4}}, {{4}}},
       [](Inputs x) -> Outputs { return {linear(tanh(linear(x[0], x[1], x[2])), x[1], x[2])}; },
       64},
      {"linear_of_no_rows",
       {{{0, 4}}, {{5, 4}}, {{5}}},
       [](Inputs x) -> Outputs { return {linear(x[0], x[1], x[2])}; }},
  };
}

inline std::vector<OpCase> reducing_cases() {
  return {
      {"sum",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {sum(x[0]), sum(x[0], {1}), sum(x[0], {0, -1}, true), sum(x[0], {})};
       },
       64},
      {"mean",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {mean(x[0]), mean(x[0], {-1}), mean(x[0], {0, 1}, true)};
       },
       64},
      {"max",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {max(x[0], 0), max(x[0], 1), max(x[0], -1), max(x[0], 1, true)};
       }},
      {"argmax",
       {{{2, 3, 4}}},
       [](Inputs x) -> Outputs {
         return {argmax(x[0], 0), argmax(x[0], 1, true), argmax(x[0], -1)};
       }},
      {"max_of_one",
       {{{3, 1}}},
       [](Inputs x) -> Outputs {
         return {max(x[0], 1), argmax(x[0], 1)};
       }},
      {"topk",
       {{{2, 3, 7}}},
       [](Inputs x) -> Outputs {
         const TopK top = topk(x[0], 3);
         return {top.values, top.indices, topk(x[0], 7).values, topk(x[0], 0).values};
       }},
      {"sums_of_nothing",
       {{{2, 0, 3}}},
       [](Inputs x) -> Outputs {
         return {sum(x[0]),    sum(x[0], {1}),   sum(x[0], {0}),      mean(x[0], {0}),
                 max(x[0], 0), argmax(x[0], -1), topk(x[0], 2).values};
       }},
      {"sum_of_many",
       {{{3, 5000}, -1, 1}},
       [](Inputs x) -> Outputs {
         return {sum(x[0]), sum(x[0], {1}), mean(x[0], {0})};
       },
       16384},
  };
}

inline std::vector<OpCase> normalising_cases() {
  return {
      unary("softmax", softmax),
      unary("log_softmax", log_softmax),
      {"softmax_masked",
       {{{3, 4}}},
       [](Inputs x) -> Outputs {
         const Tensor y = x[0] + mask({1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0}, {3, 4}, x[0]);
         return {softmax(y), finite_part(log_softmax(y))};
       },
       16},
      {"softmax_of_many",
       {{{5, 1031}, -10, 10}},
       [](Inputs x) -> Outputs {
         return {softmax(x[0]), log_softmax(x[0])};
       },
       1024},
      {"softmax_of_nothing",
       {{{0, 4}}, {{2, 0}}},
       [](Inputs x) -> Outputs {
         return {softmax(x[0]), log_softmax(x[0]), softmax(x[1]), log_softmax(x[1])};
       }},
      {"layer_norm",
       {{{2, 3, 6}}, {{6}}, {{6}}},
       [](Inputs x) -> Outputs {
         return {layer_norm(x[0], x[1], x[2], 1e-5), layer_norm(x[0], {}, {}, 1e-3),
                 layer_norm(x[0], x[1], {}, 1e-5), layer_norm(x[0], {}, x[2], 1e-5)};
       },
       64},
      {"rms_norm",
       {{{2, 3, 6}}, {{6}}},
       [](Inputs x) -> Outputs {
         return {rms_norm(x[0], x[1]), rms_norm(x[0], {}, 1e-3)};
       },
       64},
      {"unit_rows",
       {{{2, 3, 6}}, {{4, 1}}},
       [](Inputs x) -> Outputs {
         return {unit_rows(x[0], 1e-6), unit_rows(x[1], 1)};
       },
       64},
      {"norms_of_no_rows",
       {{{0, 6}}, {{6}}, {{6}}},
       [](Inputs x) -> Outputs {
         return {layer_norm(x[0], x[1], x[2]), rms_norm(x[0], x[1]), unit_rows(x[0], 1e-6)};
       }},
      {"cross_entropy",
       {{{4, 5}}},
       [](Inputs x) -> Outputs {
         const Tensor targets = indices({3, -1, 0, 4}, {4}, x[0]);
         return {cross_entropy(x[0], targets), cross_entropy(x[0], targets, {.smoothing = 0.1})};
       },
       16},
      {"cross_entropy_of_many",
       {{{3, 2003}, -8, 8}},
       [](Inputs x) -> Outputs {
         return {cross_entropy(x[0], indices({0, 2002, 77}, {3}, x[0]), {.smoothing = 0.2})};
       },
       4096},
      {"cross_entropy_of_no_rows",
       {{{0, 5}}},
       [](Inputs x) -> Outputs { return {cross_entropy(x[0], indices({}, {0}, x[0]))}; }},
  };
}

inline std::vector<OpCase> cases_a() {
  std::vector<OpCase> all;
  for (const auto& some : {arithmetic_cases(), activation_cases(), matrix_cases(), reducing_cases(),
                           normalising_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace heed::test
