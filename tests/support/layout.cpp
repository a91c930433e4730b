#include "tests/support/layout.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace heed::test {
namespace {

/// NaN, and between whole numbers a number that no test writes.
double gap(DType dtype) {
  switch (dtype) {
    case DType::i32:
      return -77777;
    case DType::u8:
      return 251;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

bool is_gap(double value, DType dtype) {
  const double mark = gap(dtype);
  return std::isnan(mark) ? std::isnan(value) : value == mark;
}

int64_t offset_of(const View& view, std::span<const int64_t> index) {
  int64_t offset = 0;
  for (int axis = 0; axis < view.rank(); ++axis) {
    offset += index[static_cast<size_t>(axis)] * view.strides[axis];
  }
  return offset;
}

/// Strides with the axes in random order, steps of up to 3 and some axes backwards; `start` is
/// where element 0 lies.
struct Plan {
  Strides strides{};
  int64_t start = 0;
  int64_t elements = 0;
};

Plan plan(const Shape& shape, Dice& dice, Spacing kind) {
  std::vector<int> order(static_cast<size_t>(shape.rank()));
  std::iota(order.begin(), order.end(), 0);
  if (kind != Spacing::dense) {
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<size_t>(dice.below(static_cast<int64_t>(i)))]);
    }
  }
  Plan made;
  int64_t step = kind == Spacing::dense ? 1 : 1 + dice.below(3) / 2;
  for (size_t i = order.size(); i-- > 0;) {
    const int axis = order[i];
    const int64_t length = std::max<int64_t>(1, shape[axis]);
    if (kind == Spacing::stretched && dice.coin()) {
      made.strides[axis] = 0;
      continue;
    }
    made.strides[axis] = step;
    if (kind == Spacing::strided && dice.below(5) == 0) {
      made.start += (length - 1) * step;
      made.strides[axis] = -step;
    }
    step = step * length + (kind == Spacing::dense ? 0 : dice.below(4) / 2);
  }
  const int64_t offset = kind == Spacing::dense ? 0 : dice.below(4);
  made.start += offset;
  made.elements = step + offset;
  return made;
}

}  // namespace

int64_t Dice::length(int64_t most) {
  static constexpr int64_t odd[] = {1, 1, 2, 3, 5, 7, 13, 17, 31, 37, 61, 67, 127, 131, 257};
  if (below(40) == 0) {
    return 0;
  }
  return std::min(most, coin() ? odd[below(15)] : 1 + below(most));
}

Shape Dice::shape(int rank, int64_t most) {
  Shape made;
  for (int axis = 0; axis < rank; ++axis) {
    made.push(length(most));
  }
  return made;
}

double Laid::at(std::span<const int64_t> index) const {
  return values[static_cast<size_t>(place_of(shape, index))];
}

Laid laid(const std::vector<double>& values, const Shape& shape, const Place& place, Dice& dice,
          Spacing kind) {
  const Plan made = plan(shape, dice, kind);
  std::vector<double> memory(static_cast<size_t>(made.elements), gap(place.dtype));
  Laid out;
  out.shape = shape;
  const View view{nullptr, place.dtype, shape, made.strides};
  size_t next = 0;
  each_index(shape, [&](std::span<const int64_t> index) {
    memory[static_cast<size_t>(made.start + offset_of(view, index))] = values[next++];
  });
  out.memory = Tensor::of(memory, {made.elements}, place);
  out.tensor = out.memory.seen_as(
      View{out.memory.view().data, place.dtype, shape, made.strides}.shifted(made.start));
  out.values = read(out);
  return out;
}

Laid laid_normal(const Shape& shape, const Place& place, Dice& dice, Spacing kind) {
  return laid(shape, place, dice, kind, [&] { return dice.normal(); });
}

std::vector<double> read(const Laid& laid) {
  const DType dtype = laid.tensor.dtype();
  std::vector<double> memory = laid.memory.values<double>();
  const View& view = laid.tensor.view();
  const int64_t start =
      (static_cast<const char*>(view.data) - static_cast<const char*>(laid.memory.view().data)) /
      static_cast<int64_t>(bytes_of(dtype));
  std::vector<double> values;
  std::vector<bool> used(memory.size());
  each_index(laid.shape, [&](std::span<const int64_t> index) {
    const auto at = static_cast<size_t>(start + offset_of(view, index));
    values.push_back(memory[at]);
    used[at] = true;
  });
  for (size_t i = 0; i < memory.size(); ++i) {
    require(used[i] || is_gap(memory[i], dtype), "layout: saw {} written into a gap", memory[i]);
  }
  return values;
}

int64_t place_of(const Shape& shape, std::span<const int64_t> index) {
  int64_t place = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    place = place * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return place;
}

}  // namespace heed::test
