#include "heed/ops/tanh.h"

#include "heed/ops/by_result.h"

namespace heed {

Tensor tanh(const Tensor& x) {
  return map_by_result(function<fn::Tanh>, function<fn::TanhGradient>, x);
}

}  // namespace heed
