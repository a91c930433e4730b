#include "heed/ops/exp.h"

#include "heed/ops/by_result.h"

namespace heed {

Tensor exp(const Tensor& x) { return map_by_result(function<fn::Exp>, function<fn::Multiply>, x); }

}  // namespace heed
