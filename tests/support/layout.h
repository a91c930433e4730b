// Tensors whose elements lie in memory in every way a View can say: axes exchanged, gaps, an
// offset, backwards, stretched. What lies between the elements is NaN (a mark in whole numbers), so
// that a kernel that reads or writes there is caught.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::test {

class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint32_t>(n)); }
  bool coin() { return below(2) == 0; }
  double normal() { return std::normal_distribution<double>()(engine_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  /// A length that is often 1, odd or prime, now and then 0.
  int64_t length(int64_t most);
  Shape shape(int rank, int64_t most);

 private:
  std::mt19937 engine_;
};

struct Laid {
  Tensor tensor;               // what kernels see
  Tensor memory;               // all of it, dense
  Shape shape;                 // of the tensor
  std::vector<double> values;  // of the tensor, row-major

  double at(std::span<const int64_t> index) const;
  double at(std::initializer_list<int64_t> index) const {
    return at(std::span(index.begin(), index.size()));
  }
};

enum class Spacing { dense, strided, stretched };

/// `values` (row-major) laid out anyhow: dense, or with random strides.
Laid laid(const std::vector<double>& values, const Shape& shape, const Place& place, Dice& dice,
          Spacing kind = Spacing::strided);
/// Values from `draw()`; a stretched layout repeats them along some axes.
template <class Draw>
Laid laid(const Shape& shape, const Place& place, Dice& dice, Spacing kind, const Draw& draw) {
  std::vector<double> values(static_cast<size_t>(shape.numel()));
  for (double& value : values) {
    value = draw();
  }
  return laid(values, shape, place, dice, kind);
}
/// Standard normal values, rounded to the place's element type.
Laid laid_normal(const Shape& shape, const Place& place, Dice& dice,
                 Spacing kind = Spacing::strided);

/// What now lies in the tensor, row-major, read from its memory without any primitive; throws where the
/// gaps were written to.
std::vector<double> read(const Laid& laid);

/// Every index of a shape in row-major order.
template <class Body>
void each_index(const Shape& shape, const Body& body) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int64_t left = shape.numel(); left > 0; --left) {
    body(std::span<const int64_t>(index));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      int64_t& at = index[static_cast<size_t>(axis)];
      at = at + 1 == shape[axis] ? 0 : at + 1;
      if (at != 0) {
        break;
      }
    }
  }
}

/// Row-major place of an index.
int64_t place_of(const Shape& shape, std::span<const int64_t> index);

}  // namespace heed::test
