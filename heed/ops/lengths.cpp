#include "heed/ops/lengths.h"

#include "heed/ops/mapped.h"

namespace heed {

Tensor positions(int64_t count, const Place& place) {
  Tensor numbers = Tensor::empty({count}, place);
  place.backend->iota(numbers.view());
  return numbers;
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
