#include "heed/ops/tanh.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor tanh(const Tensor& x) {
  Tensor y = mapped(function<fn::Tanh>, {x});
  return record(
      y, {x}, [y](Gradients& g) { g.add(0, mapped_over(function<fn::TanhSlope>, g.take(), {y})); });
}

}  // namespace heed
