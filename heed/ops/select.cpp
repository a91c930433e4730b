#include "heed/ops/select.h"

#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor select(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Tensor chosen = cast(condition.detached(), a.dtype());
  return record(mapped(function<fn::Select>, {chosen, a, b}), {a, b}, [chosen](Gradients& g) {
    if (g.wanted(0)) {
      g.add(0, mapped(function<fn::SelectOr>, {chosen, g.of(0)}));
    }
    if (g.wanted(1)) {
      g.add(1, mapped(function<fn::SelectUnless>, {chosen, g.of(0)}));
    }
  });
}

Tensor select(const Tensor& condition, const Tensor& a, double b) {
  const Tensor chosen = cast(condition.detached(), a.dtype());
  return record(mapped(function<fn::SelectOr>, {chosen, a}, {.a = b}), {a}, [chosen](Gradients& g) {
    g.add(0, mapped(function<fn::SelectOr>, {chosen, g.of(0)}));
  });
}

Tensor select(const Tensor& condition, double a, const Tensor& b) {
  const Tensor chosen = cast(condition.detached(), b.dtype());
  return record(mapped(function<fn::SelectUnless>, {chosen, b}, {.a = a}), {b},
                [chosen](Gradients& g) {
                  g.add(0, mapped(function<fn::SelectUnless>, {chosen, g.of(0)}));
                });
}

}  // namespace heed
