#include "heed/ops/exp.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor exp(const Tensor& x) {
  Tensor y = mapped(function<fn::Exp>, {x});
  return record(
      y, {x}, [y](Gradients& g) { g.add(0, mapped_over(function<fn::Multiply>, g.take(), {y})); });
}

}  // namespace heed
