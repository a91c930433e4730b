// What a kernel sees: memory, element type, lengths and strides (in elements). A View owns nothing;
// a broadcast axis has stride 0. Device code shares this header, so it does not include fmt.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "heed/device/dtype.h"
#include "heed/device/shape.h"

namespace heed {

using Strides = std::array<int64_t, Shape::max_rank>;

struct View {
  void* data = nullptr;
  DType dtype = DType::f32;
  Shape shape;
  Strides strides{};

  template <class T>
  constexpr T* as() const {
    return static_cast<T*>(data);
  }
  constexpr int rank() const { return shape.rank(); }
  constexpr int64_t numel() const { return shape.numel(); }
  constexpr int64_t stride(int axis) const { return strides[axis < 0 ? axis + rank() : axis]; }
  constexpr bool is_contiguous() const {
    int64_t expected = 1;
    for (int i = rank() - 1; i >= 0; --i) {
      if (shape[i] != 1 && strides[i] != expected) {
        return numel() == 0;
      }
      expected *= shape[i];
    }
    return true;
  }
  /// The same view starting `elements` further on.
  View shifted(int64_t elements) const;
};

constexpr View dense_view(void* data, DType dtype, const Shape& shape) {
  View view{data, dtype, shape, {}};
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    view.strides[i] = step;
    step *= shape[i];
  }
  return view;
}
/// Row-major strides of `shape`.
constexpr Strides dense_strides(const Shape& shape) {
  return dense_view(nullptr, {}, shape).strides;
}

/// The view with axes of length 1 (or missing in front) extended by stride 0.
View broadcast_to(const View& view, const Shape& shape);
/// out axis i is in axis order[i].
View permuted(const View& view, std::span<const int> order);
View transposed(const View& view, int a = -2, int b = -1);
/// Elements begin, begin+step, … (count of them) of `axis`.
View sliced(const View& view, int axis, int64_t begin, int64_t count, int64_t step = 1);
/// The view with another shape of the same size, or nothing if that needs a copy.
std::optional<View> reshaped(const View& view, const Shape& shape);

/// Drops axes of length 1 and joins neighbouring axes that are contiguous in every view, so that
/// kernels loop over as few axes as possible. All views have one shape (broadcast beforehand).
void merge_axes(std::span<View> views);

}  // namespace heed
