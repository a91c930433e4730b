#include "heed/ops/cast.h"

#include <vector>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

Tensor converted(const Tensor& x, DType dtype) {
  Tensor out = Tensor::empty(x.shape(), x.place().with(dtype));
  if (out.numel() > 0) {
    x.backend().copy(out.view(), x.view());
  }
  return out;
}

/// Copies through host memory and converts on the side that supports both types.
Tensor moved(const Tensor& x, const Place& place) {
  if (&x.backend() == place.backend) {
    return converted(x, place.dtype);
  }
  if (x.dtype() != place.dtype && x.backend().supports(place.dtype)) {
    return moved(converted(x, place.dtype), place);
  }
  Tensor there = Tensor::empty(x.shape(), place.with(x.dtype()));
  std::vector<char> bytes(static_cast<size_t>(x.numel()) * bytes_of(x.dtype()));
  x.backend().download(bytes.data(), x.dense().view());
  place.backend->upload(there.view(), bytes.data());
  return x.dtype() == place.dtype ? there : converted(there, place.dtype);
}

}  // namespace

Tensor cast(const Tensor& x, DType dtype) { return to_place(x, x.place().with(dtype)); }

Tensor widened(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::f32) : x; }

Tensor to_place(const Tensor& x, const Place& place) {
  if (x.place() == place) {
    return x;
  }
  Tensor y = moved(x, place);
  if (!place.has_gradients()) {
    return y;
  }
  return record(y, {x}, [from = x.place()](Gradients& g) { g.add(0, moved(g.of(0), from)); });
}

}  // namespace heed
