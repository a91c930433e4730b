#include "heed/ops/log.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor log(const Tensor& x) {
  return record(mapped(function<fn::Log>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped(function<fn::Divide>, {g.of(0), x}));
  });
}

}  // namespace heed
