#include "heed/ops/by_result.h"

#include <utility>

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor map_by_result(Function f, Function gradient, const Tensor& x) {
  Tensor y = mapped(f, {x});
  if (!recording({x})) {
    return y;
  }
  // The history belongs to a second handle, so that the first can be moved into the function
  // without counting holders.
  Tensor named = y.seen_as(y.view());
  return record(std::move(named), {x}, [y = std::move(y), gradient](Gradients& g) {
    g.add(0, mapped_over(gradient, g.take(), {y}));
  });
}

}  // namespace heed
