#include "heed/ops/mapped.h"

#include <array>

namespace heed {
namespace {

/// Whether all have the shape of `like`, and the result of all is at its place; fails unless all may meet.
bool are_alike(const Tensor& like, std::initializer_list<Operand> inputs) {
  const View& seen = like.view();
  const Backend* backend = &like.backend();
  bool is_alike = true;
  for (const Tensor& input : inputs) {
    if (&input == &like) {
      continue;
    }
    const View& view = input.view();
    if (&input.backend() != backend || view.dtype != seen.dtype) {
      is_alike = common_place(like, input, "map") == like.place() && is_alike;
    }
    is_alike = is_alike && view.shape == seen.shape;
  }
  return is_alike;
}

Place place_of(std::initializer_list<Operand> inputs) {
  const Tensor& first = *inputs.begin();
  Place place = first.place();
  for (const Tensor& input : inputs) {
    place = input.dtype() == place.dtype ? place : common_place(first, input, "map");
  }
  return place;
}

Shape broadcast_shape(const Tensor& first, std::initializer_list<Operand> others) {
  Shape shape = first.shape();
  for (const Tensor& other : others) {
    shape = broadcast(shape, other.shape(), "map");
  }
  return shape;
}

/// For operands of out's shape: no axis is broadcast, and the kernel itself merges axes.
void map_alike(const Tensor& out, Function f, std::initializer_list<Operand> inputs,
               MapScalars scalars) {
  const auto run = [&](std::span<const View> in) { out.backend().map(f, out.view(), in, scalars); };
  const Operand* x = inputs.begin();
  if (inputs.size() == 1) {
    run({&x[0]->view(), 1});
  } else if (inputs.size() == 2) {
    run(std::array{x[0]->view(), x[1]->view()});
  } else {
    run(std::array{x[0]->view(), x[1]->view(), x[2]->view()});
  }
}

void map_stretched(const Tensor& out, Function f, std::initializer_list<Operand> inputs,
                   MapScalars scalars) {
  std::array<View, 4> views{out.view()};
  size_t count = 1;
  for (const Tensor& input : inputs) {
    views[count++] = broadcast_to(input.view(), out.shape());
  }
  if (out.numel() > 0) {
    merge_axes({views.data(), count});
    out.backend().map(f, views[0], {views.data() + 1, count - 1}, scalars);
  }
}

/// For operands of different shapes, or no operands; not inlined, so that small ops stay fast.
[[gnu::noinline]] Tensor mapped_stretched(Function f, std::initializer_list<Operand> inputs,
                                          MapScalars scalars) {
  const Tensor& first = *inputs.begin();
  Tensor out = Tensor::empty(broadcast_shape(first, inputs), place_of(inputs));
  map_into(out, f, inputs, scalars);
  return out;
}

}  // namespace

Place common_place(const Tensor& first, const Tensor& other, const char* who) {
  const Place low = first.place().with(DType::bf16);
  const auto is_near = [&low](const Tensor& x) {
    return &x.backend() == low.backend && (x.dtype() == DType::f32 || x.dtype() == DType::bf16);
  };
  if (first.place() == other.place()) {
    return first.place();
  }
  if (!is_near(first) || !is_near(other) || !low.has_gradients()) {
    fail(
        "{}: saw operands {} on {} and {} on {}, needs one element type on one backend; cast or "
        "move one of them",
        who, name_of(first.dtype()), first.backend().name(), name_of(other.dtype()),
        other.backend().name());
  }
  return low;
}

Tensor mapped(Function f, std::initializer_list<Operand> inputs, MapScalars scalars) {
  const Tensor& first = *inputs.begin();
  if (!are_alike(first, inputs) || first.numel() == 0) {
    return mapped_stretched(f, inputs, scalars);
  }
  Tensor out = Tensor::empty(first.shape(), first.place());
  map_alike(out, f, inputs, scalars);
  return out;
}

Tensor mapped_over(Function f, Tensor x, std::initializer_list<Operand> others,
                   MapScalars scalars) {
  const bool is_free =
      x.owns_memory_alone() && x.view().is_contiguous() && are_alike(x, others) && x.numel() > 0;
  const auto run = [&](std::initializer_list<Operand> inputs) {
    if (!is_free) {
      return mapped(f, inputs, scalars);
    }
    map_alike(x, f, inputs, scalars);
    return std::move(x);
  };
  const Operand* y = others.begin();
  if (others.size() == 0) {
    return run({x});
  }
  return others.size() == 1 ? run({x, y[0]}) : run({x, y[0], y[1]});
}

void map_into(const Tensor& out, Function f, std::initializer_list<Operand> inputs,
              MapScalars scalars) {
  if (are_alike(out, inputs) && out.numel() > 0) {
    map_alike(out, f, inputs, scalars);
  } else {
    map_stretched(out, f, inputs, scalars);
  }
}

}  // namespace heed
