#include "heed/ops/gelu.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor gelu(const Tensor& x) {
  return record(mapped(function<fn::Gelu>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped(function<fn::GeluSlope>, {g.of(0), x}));
  });
}

Tensor gelu_tanh(const Tensor& x) {
  return record(mapped(function<fn::GeluTanh>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped(function<fn::GeluTanhSlope>, {g.of(0), x}));
  });
}

}  // namespace heed
