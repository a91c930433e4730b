#include "heed/ops/lengths.h"

#include <algorithm>

#include "heed/ops/mapped.h"

namespace heed {

// By doubling: a piece plus its length is copied behind itself. Floats are exact up to 2²⁴;
// integers are cast from them.
Tensor positions(int64_t count, const Place& place) {
  require(count <= int64_t{1} << 24, "positions: saw {}, needs 2^24 or fewer", count);
  Tensor p = Tensor::empty({count}, place.dtype == DType::i32 ? place.with(DType::f32) : place);
  Backend& backend = *place.backend;
  if (count > 0) {
    backend.fill(sliced(p.view(), 0, 0, 1), 0);
  }
  for (int64_t done = 1; done < count; done *= 2) {
    const int64_t more = std::min(done, count - done);
    const View from[] = {sliced(p.view(), 0, 0, more)};
    backend.map(function<fn::Affine>, sliced(p.view(), 0, done, more), from,
                {1, static_cast<double>(done)});
  }
  if (place.dtype != DType::i32) {
    return p;
  }
  Tensor whole = Tensor::empty({count}, place);
  backend.copy(whole.view(), p.view());
  return whole;
}

Tensor mask_of_lengths(const Tensor& lengths, int64_t width, DType dtype) {
  require(lengths.rank() == 1 && lengths.dtype() == DType::i32,
          "mask_of_lengths: saw lengths {} of {}, needs i32 [B]", lengths.shape(),
          name_of(lengths.dtype()));
  const Place place = lengths.place().with(dtype);
  const Tensor limit = Tensor::empty({lengths.size(0), 1}, place);
  place.backend->copy(limit.view(), *reshaped(lengths.view(), limit.shape()));
  return mapped(function<fn::Less>, {positions(width, place), limit});
}

}  // namespace heed
