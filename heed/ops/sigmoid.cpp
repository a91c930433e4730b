#include "heed/ops/sigmoid.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor sigmoid(const Tensor& x) {
  Tensor y = mapped(function<fn::Sigmoid>, {x});
  return record(y, {x}, [y](Gradients& g) {
    g.add(0, mapped_over(function<fn::SigmoidSlope>, g.take(), {y}));
  });
}

}  // namespace heed
