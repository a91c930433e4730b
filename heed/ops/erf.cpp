#include "heed/ops/erf.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor erf(const Tensor& x) {
  return record(mapped(function<fn::Erf>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::ErfGradient>, g.take(), {x}));
  });
}

}  // namespace heed
