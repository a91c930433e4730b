#include "heed/ops/compare.h"

#include "heed/ops/mapped.h"

namespace heed {

Tensor equal(const Tensor& x, const Tensor& y) { return mapped(function<fn::Equal>, {x, y}); }
Tensor equal(const Tensor& x, double a) { return mapped(function<fn::EqualTo>, {x}, {.a = a}); }

Tensor less(const Tensor& x, const Tensor& y) { return mapped(function<fn::Less>, {x, y}); }
Tensor less(const Tensor& x, double a) { return mapped(function<fn::Below>, {x}, {.a = a}); }
Tensor less(double a, const Tensor& x) { return mapped(function<fn::Above>, {x}, {.a = a}); }

Tensor at_most(const Tensor& x, const Tensor& y) { return mapped(function<fn::AtMost>, {x, y}); }

Tensor within(const Tensor& x, const Tensor& lo, const Tensor& hi) {
  return mapped(function<fn::Within>, {x, lo, hi});
}

}  // namespace heed
