#include "heed/ops/gelu.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor gelu(const Tensor& x) {
  return record(mapped(function<fn::Gelu>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::GeluGradient>, g.take(), {x}));
  });
}

Tensor gelu_tanh(const Tensor& x) {
  return record(mapped(function<fn::GeluTanh>, {x}), {x}, [x = x.detached()](Gradients& g) {
    g.add(0, mapped_over(function<fn::GeluTanhGradient>, g.take(), {x}));
  });
}

}  // namespace heed
