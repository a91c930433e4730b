#include "heed/ops/sigmoid.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor sigmoid(const Tensor& x) {
  Tensor y = mapped(function<fn::Sigmoid>, {x});
  return record(y, {x}, [y](Gradients& g) {
    g.add(0, mapped(function<fn::SigmoidSlope>, {g.of(0), y}));
  });
}

}  // namespace heed
