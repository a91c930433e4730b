#include "heed/attention/head_product.h"

#include <numeric>
#include <vector>

#include "heed/ops/matmul.h"
#include "heed/ops/permute.h"
#include "heed/ops/reshape.h"

namespace heed {

Tensor head_product(const Tensor& x, const Tensor& weight, Products* products) {
  const int heads = weight.rank() - 2;  // the number of head axes
  require(x.rank() == heads + 3, "attend: saw rows {} for weights {} of heads",
          to_string(x.shape()), to_string(weight.shape()));
  const int64_t inner = weight.size(-2);
  const int64_t outer = weight.size(-1);
  if (weight.numel() == inner * outer) {  // one head
    const Tensor rows = reshape(x, {x.size(0) * x.size(-2), inner});
    const Tensor turned = transpose(reshape(weight, {inner, outer}));
    return reshape(linear(rows, turned, {}, {.products = products}), x.shape().with(-1, outer));
  }
  std::vector<int> heads_first(static_cast<size_t>(x.rank()));
  std::iota(heads_first.begin(), heads_first.end(), 0);
  std::vector<int> memories_first = heads_first;
  Shape tall;
  Shape split;
  for (int axis = 0; axis < heads; ++axis) {
    heads_first[static_cast<size_t>(axis)] = axis + 1;
    memories_first[static_cast<size_t>(axis) + 1] = axis;
    tall.push(x.size(axis + 1));
    split.push(x.size(axis + 1));
  }
  heads_first[static_cast<size_t>(heads)] = 0;
  memories_first[0] = heads;
  tall.push(x.size(0) * x.size(-2)).push(inner);
  split.push(x.size(0)).push(x.size(-2)).push(outer);
  const Tensor rows = reshape(permute(x, heads_first), tall);
  return permute(reshape(matmul(rows, weight), split), memories_first);
}

}  // namespace heed
