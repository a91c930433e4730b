#include "heed/ops/stack.h"

#include <vector>

#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"

namespace heed {

Tensor stack(std::span<const Tensor> parts, int axis) {
  require(!parts.empty(), "stack: saw no tensors, needs one or more");
  std::vector<Tensor> layers;
  layers.reserve(parts.size());
  for (const Tensor& part : parts) {
    require(part.shape() == parts.front().shape(), "stack: saw {} beside {}, needs one shape",
            part.shape(), parts.front().shape());
    layers.push_back(unsqueeze(part, axis));
  }
  return concat(layers, axis);
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}

}  // namespace heed
