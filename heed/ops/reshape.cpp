#include "heed/ops/reshape.h"

#include <string>

#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

std::string listed(std::initializer_list<int64_t> lengths) {
  std::string text;
  for (const int64_t length : lengths) {
    text += (text.empty() ? "" : ", ") + std::to_string(length);
  }
  return "[" + text + "]";
}

}  // namespace

Tensor reshape(const Tensor& x, const Shape& shape) {
  return record(shaped(x, shape), {x},
                [before = x.shape()](Gradients& g) { g.add(0, shaped(g.of(0), before)); });
}

Tensor reshape(const Tensor& x, std::initializer_list<int64_t> lengths) {
  Shape shape;
  int open = -1;
  int64_t known = 1;
  for (const int64_t length : lengths) {
    if (length == -1) {
      if (open >= 0) {
        fail("reshape: saw {}, needs one -1 at most", listed(lengths));
      }
      open = shape.rank();
    } else {
      known = product_up_to(most_elements, known, length);
    }
    shape.push(length == -1 ? 1 : length);
  }
  if (open >= 0) {
    if (known <= 0 || x.numel() % known != 0) {
      fail("reshape: saw {}, which does not fill {}", x.shape(), listed(lengths));
    }
    shape[open] = x.numel() / known;
  }
  return reshape(x, shape);
}

Tensor squeeze(const Tensor& x, int axis) {
  axis = checked_axis(axis, x.rank(), "squeeze");
  require(x.size(axis) == 1, "squeeze: saw shape {}, needs length 1 at axis {}", x.shape(), axis);
  return reshape(x, Shape(x.shape()).erase(axis));
}

Tensor unsqueeze(const Tensor& x, int axis) {
  axis = checked_axis(axis, x.rank() + 1, "unsqueeze");
  return reshape(x, Shape(x.shape()).insert(axis, 1));
}

}  // namespace heed
