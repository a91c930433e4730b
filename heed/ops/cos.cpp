#include "heed/ops/cos.h"

#include <utility>

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor cos(const Tensor& x) {
  return record(mapped(function<fn::Cos>, {x}), {x}, [x = x.detached()](Gradients& g) {
    Tensor dx = mapped(function<fn::Sin>, {x});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    map_into(dx, function<fn::Affine>, {dx}, {.a = -1});
    g.add(0, std::move(dx));
  });
}

}  // namespace heed
