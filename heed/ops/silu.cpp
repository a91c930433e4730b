#include "heed/ops/silu.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor silu(const Tensor& x) {
  return record(mapped(function<fn::Silu>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::SiluGradient>, g.take(), {x}));
  });
}

}  // namespace heed
