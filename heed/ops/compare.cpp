#include "heed/ops/compare.h"

#include "heed/ops/mapped.h"

namespace heed {

Tensor equal(const Tensor& x, const Tensor& y) { return mapped(function<fn::Equal>, {x, y}); }

Tensor less(const Tensor& x, const Tensor& y) { return mapped(function<fn::Less>, {x, y}); }

Tensor at_most(const Tensor& x, const Tensor& y) { return mapped(function<fn::AtMost>, {x, y}); }

Tensor within(const Tensor& x, const Tensor& lo, const Tensor& hi) {
  return mapped(function<fn::Within>, {x, lo, hi});
}

}  // namespace heed
