#include "heed/ops/softplus.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor softplus(const Tensor& x) {
  return record(mapped(function<fn::Softplus>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::SoftplusGradient>, g.take(), {x}));
  });
}

}  // namespace heed
