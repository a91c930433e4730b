#include "heed/ops/sin.h"

#include <utility>

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor sin(const Tensor& x) {
  return record(mapped(function<fn::Sin>, {x}), {x}, [x = x.detached()](Gradients& g) {
    Tensor dx = mapped(function<fn::Cos>, {x});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    g.add(0, std::move(dx));
  });
}

}  // namespace heed
