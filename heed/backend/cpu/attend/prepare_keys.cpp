#include "heed/backend/cpu/attend/prepared_keys.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/device/backend.h"

namespace heed::cpu {

bool prepare_keys(Backend& backend, const PrepareKeys& call) {
  if (call.activation != Activation::tanh || call.keys.dtype != DType::f32) {
    return false;
  }
  const int64_t width = call.keys.shape[3];
  if (call.width != nullptr) {
    *call.width = prepared_width(width);
  }
  if (call.prepared.data == nullptr || call.keys.numel() == 0) {
    return true;
  }
  const View exponentials = sliced(call.prepared, 3, 0, width);
  const View reach = sliced(call.prepared, 3, place_of_reach(width), 1);
  const View keys[] = {call.keys};
  const View itself[] = {exponentials};
  backend.map(function<fn::Abs>, exponentials, keys, {});
  backend.reduce(Reduction::max, reach, exponentials);
  backend.map(function<fn::Affine>, exponentials, keys, {.a = 2, .b = 0});
  backend.map(function<fn::Exp>, exponentials, itself, {});
  return true;
}

}  // namespace heed::cpu
