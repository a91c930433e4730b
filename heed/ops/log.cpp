#include "heed/ops/log.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor log(const Tensor& x) {
  return record(mapped(function<fn::Log>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::Divide>, g.take(), {x}));
  });
}

}  // namespace heed
