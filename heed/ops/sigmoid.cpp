#include "heed/ops/sigmoid.h"

#include "heed/ops/by_result.h"

namespace heed {

Tensor sigmoid(const Tensor& x) {
  return map_by_result(function<fn::Sigmoid>, function<fn::SigmoidGradient>, x);
}

}  // namespace heed
