#include "heed/ops/mapped.h"

#include <array>

namespace heed {

void require_one_place(const Tensor& first, const Tensor& other, const char* who) {
  require(first.place() == other.place(),
          "{}: saw operands {} on {} and {} on {}, needs one element type on one backend; cast or "
          "move one of them",
          who, name_of(first.dtype()), first.backend().name(), name_of(other.dtype()),
          other.backend().name());
}

Tensor mapped(Function f, std::initializer_list<Tensor> inputs, MapScalars scalars) {
  Shape shape = inputs.begin()->shape();
  for (const Tensor& input : inputs) {
    shape = broadcast(shape, input.shape(), "map");
  }
  Tensor out = Tensor::empty(shape, inputs.begin()->place());
  map_into(out, f, inputs, scalars);
  return out;
}

void map_into(const Tensor& out, Function f, std::initializer_list<Tensor> inputs,
              MapScalars scalars) {
  std::array<View, 4> views{out.view()};
  size_t count = 1;
  for (const Tensor& input : inputs) {
    require_one_place(out, input, "map");
    views[count++] = broadcast_to(input.view(), out.shape());
  }
  if (out.numel() == 0) {
    return;
  }
  merge_axes({views.data(), count});
  out.backend().map(f, views[0], {views.data() + 1, count - 1}, scalars);
}

}  // namespace heed
