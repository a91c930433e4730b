#include "heed/ops/relu.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor relu(const Tensor& x) {
  Tensor y = mapped(function<fn::Relu>, {x});
  return record(y, {x}, [y](Gradients& g) {
    g.add(0, mapped_over(function<fn::ReluGradient>, g.take(), {y}));
  });
}

}  // namespace heed
