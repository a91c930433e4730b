#include "heed/ops/embedding.h"

#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {

Tensor embedding(const Tensor& table, const Tensor& ids) {
  return embedding(table, ids, table.dtype());
}

Tensor embedding(const Tensor& table, const Tensor& ids, DType as) {
  require(table.rank() == 2, "embedding: saw a table of shape {}, needs [V, D]", table.shape());
  return reshape(gather_rows(table, reshape(ids, {-1}), as),
                 Shape(ids.shape()).push(table.size(1)));
}

}  // namespace heed
