#include "heed/ops/concat.h"

#include <vector>

#include "heed/base/inline_vector.h"
#include "heed/ops/copies.h"
#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor concat(std::span<const Tensor> parts, int axis) {
  require(!parts.empty(), "concat: saw no tensors, needs one or more");
  const Tensor& first = parts.front();
  Place at = first.place();
  axis = checked_axis(axis, first.rank(), "concat");
  std::vector<int64_t> sizes;
  int64_t total = 0;
  for (const Tensor& part : parts) {
    require(
        part.rank() == first.rank() && part.shape().with(axis, 0) == first.shape().with(axis, 0),
        "concat: saw {} of {} beside {} of {}; only axis {} may differ", part.shape(),
        name_of(part.dtype()), first.shape(), name_of(first.dtype()), axis);
    at = part.dtype() == at.dtype ? at : common_place(first, part, "concat");
    sizes.push_back(part.size(axis));
    total += sizes.back();
  }
  Tensor y = Tensor::empty(first.shape().with(axis, total), at);
  int64_t begin = 0;
  InlineVector<CopyPair, 4> copies;
  for (const Tensor& part : parts) {
    copies.push_back({sliced(y.view(), axis, begin, part.size(axis)), part.view()});
    begin += part.size(axis);
  }
  copy_all(y.backend(), {copies.begin(), copies.size()});
  record(std::span(&y, 1), parts, [axis, sizes = std::move(sizes)](Gradients& g) {
    const Tensor dy = g.of(0);
    int64_t place = 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (g.wanted(k)) {
        g.add(k, dy.seen_as(sliced(dy.view(), axis, place, sizes[k])));
      }
      place += sizes[k];
    }
  });
  return y;
}

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

}  // namespace heed
