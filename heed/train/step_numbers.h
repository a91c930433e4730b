// Numbers that change from one update to the next: η, functions of t, the scale of a clipped
// gradient. They are in one small tensor that is written before the update, so that every update
// makes the same calls with the same arguments and a recorded one can be run again.
#pragma once

#include <initializer_list>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

class StepNumbers {
 public:
  /// Makes room for `count` numbers.
  void attach(int64_t count, const Place& place) { numbers_ = Tensor::zeros({count}, place); }
  /// One upload, to the same memory each time.
  void write(std::span<const double> values) const;
  void write(std::initializer_list<double> values) const {
    write(std::span(values.begin(), values.size()));
  }

  /// [count]
  View view() const { return numbers_.view(); }
  /// [1]: the number at `index`.
  Tensor at(int64_t index) const { return numbers_.seen_as(sliced(numbers_.view(), 0, index, 1)); }

 private:
  Tensor numbers_;
};

}  // namespace heed
