// How parameters begin. Each is drawn with a key of its own (seed, order of making), so weights do
// not depend on threads.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

class Init {
 public:
  Init(const Place& place, uint64_t seed) : place_(place), seed_(seed) {}
  /// Every parameter begins at 0, because its values will come from a file: nothing is drawn.
  static Init blank(const Place& place) {
    Init init(place, 0);
    init.is_blank_ = true;
    return init;
  }

  const Place& place() const { return place_; }

  Tensor constant(const Shape& shape, double value);
  Tensor zeros(const Shape& shape) { return constant(shape, 0); }
  /// Uniform in [−bound, bound].
  Tensor uniform(const Shape& shape, double bound);
  Tensor normal(const Shape& shape, double deviation);
  /// Uniform with bound √(6 / (fan_in + fan_out)) (Glorot 2010); the last axis is fan-in, the one
  /// before fan-out, axes in front are separate matrices (heads).
  Tensor glorot(const Shape& shape);
  /// Matrices [rows, columns] one below the other, each drawn as above: the gates of a cell.
  Tensor glorot(int64_t blocks, int64_t rows, int64_t columns);
  /// Rows (or columns) orthonormal, block by block along the first axis in blocks of `rows` (Saxe
  /// 2013): recurrent weights.
  Tensor orthogonal(int64_t blocks, int64_t rows, int64_t columns);

 private:
  RandomKey next() { return {seed_, 0, made_++}; }
  Place place_;
  uint64_t seed_;
  bool is_blank_ = false;
  uint64_t made_ = 0;
};

}  // namespace heed
