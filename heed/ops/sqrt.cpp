#include "heed/ops/sqrt.h"

#include "heed/ops/by_result.h"

namespace heed {

Tensor sqrt(const Tensor& x) {
  return map_by_result(function<fn::Sqrt>, function<fn::SqrtGradient>, x);
}

}  // namespace heed
