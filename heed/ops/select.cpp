#include "heed/ops/select.h"

#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Tensor chosen = cast(condition.detached(), a.dtype());
  return record(mapped(function<fn::Select>, {chosen, a, b}), {a, b}, [chosen](Gradients& g) {
    const Tensor nothing = Tensor::zeros({}, chosen.place());
    if (g.wanted(0)) {
      g.add(0, mapped(function<fn::Select>, {chosen, g.of(0), nothing}));
    }
    if (g.wanted(1)) {
      g.add(1, mapped(function<fn::Select>, {chosen, nothing, g.of(0)}));
    }
  });
}

}  // namespace heed
