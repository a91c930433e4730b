// Initial values of parameters, which the host draws in f32: the same bits on every backend. Each
// has its own key (seed, order of creation), so weights do not depend on threads.
#pragma once

#include <optional>

#include "heed/tensor/tensor.h"

namespace heed {

/// How many parameters may be made: those that a file holds, or those that memory has room for.
/// Whatever settings say, more are an Error before memory is taken for them.
struct WeightRoom {
  int64_t tensors = 0;
  int64_t elements = 0;
};

class Init {
 public:
  Init(const Place& place, uint64_t seed, std::optional<WeightRoom> room = {})
      : place_(place), seed_(seed), room_(room) {}
  /// Makes every parameter 0 and draws nothing, because the values will come from a file.
  static Init blank(const Place& place) {
    Init init(place, 0);
    init.is_blank_ = true;
    return init;
  }
  /// Makes parameters whose memory is not written, because every value will come from a file with
  /// these tensors.
  static Init unfilled(const Place& place, const WeightRoom& of_file) {
    Init init(place, 0, of_file);
    init.is_blank_ = true;
    init.is_filled_ = false;
    return init;
  }

  /// Where the model's activations are; its parameters are at place().exact().
  const Place& place() const { return place_; }
  bool is_blank() const { return is_blank_; }

  Tensor constant(const Shape& shape, double value);
  Tensor zeros(const Shape& shape) { return constant(shape, 0); }
  /// Uniform in [−bound, bound].
  Tensor uniform(const Shape& shape, double bound);
  Tensor normal(const Shape& shape, double deviation);
  /// Uniform with bound √(6 / (fan_in + fan_out)) (Glorot 2010). The last axis is fan-in, the one
  /// before it fan-out; further axes count separate matrices (heads).
  Tensor glorot(const Shape& shape);
  /// Matrices [rows, columns] below each other, each drawn as above: for the gates of a cell.
  Tensor glorot(int64_t blocks, int64_t rows, int64_t columns);
  /// Blocks [rows, columns] below each other, each with orthonormal rows or columns (Saxe 2013):
  /// for recurrent weights.
  Tensor orthogonal(int64_t blocks, int64_t rows, int64_t columns);

 private:
  RandomKey next() { return {seed_, 0, made_++}; }
  /// Fails where `shape` needs more than the room that is left.
  void take(const Shape& shape);
  Place place_;
  uint64_t seed_;
  std::optional<WeightRoom> room_;  // what is left of it
  bool is_blank_ = false;
  bool is_filled_ = true;
  uint64_t made_ = 0;
};

}  // namespace heed
