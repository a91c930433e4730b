#include "heed/ops/sqrt.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor sqrt(const Tensor& x) {
  Tensor y = mapped(function<fn::Sqrt>, {x});
  return record(
      y, {x}, [y](Gradients& g) { g.add(0, mapped_over(function<fn::SqrtSlope>, g.take(), {y})); });
}

}  // namespace heed
