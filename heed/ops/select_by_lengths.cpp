#include "heed/ops/select_by_lengths.h"

#include "heed/ops/gather.h"
#include "heed/ops/mapped.h"
#include "heed/ops/reshape.h"

namespace heed {

Tensor last_by_lengths(const Tensor& x, const Tensor& lengths) {
  require(x.rank() == 3 && lengths.rank() == 1 && lengths.size(0) == x.size(0),
          "last_by_lengths: saw x {} and lengths {}, needs [B, T, D] and [B]", x.shape(),
          lengths.shape());
  Backend& backend = x.backend();
  const Tensor last = Tensor::empty(lengths.shape(), lengths.place().with(DType::f32));
  backend.copy(last.view(), lengths.view());
  map_into(last, function<fn::Affine>, {last}, {1, -1});
  const Tensor index = Tensor::empty({x.size(0), 1}, lengths.place());
  backend.copy(index.view(), *reshaped(last.view(), index.shape()));
  return squeeze(gather_rows(x, index), 1);
}

}  // namespace heed
