#include "heed/ops/permute.h"

#include <array>

#include "heed/tensor/tape.h"

namespace heed {

Tensor permute(const Tensor& x, std::span<const int> order) {
  const Tensor y = x.seen_as(permuted(x.view(), order));
  std::array<int, Shape::max_rank> back{};
  for (int i = 0; i < x.rank(); ++i) {
    back[checked_axis(order[i], x.rank(), "permute")] = i;
  }
  return record(y, {x}, [back](Gradients& g) {
    const Tensor dy = g.of(0);
    g.add(0, dy.seen_as(permuted(dy.view(), {back.data(), static_cast<size_t>(dy.rank())})));
  });
}

Tensor permute(const Tensor& x, std::initializer_list<int> order) {
  return permute(x, std::span(order.begin(), order.size()));
}

Tensor transpose(const Tensor& x, int a, int b) {
  return record(x.seen_as(transposed(x.view(), a, b)), {x}, [a, b](Gradients& g) {
    const Tensor dy = g.of(0);
    g.add(0, dy.seen_as(transposed(dy.view(), a, b)));
  });
}

}  // namespace heed
