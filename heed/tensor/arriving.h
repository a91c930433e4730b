// Values of a tensor that are on their way to the host, which goes on meanwhile: calls that are made
// after the first line are not waited for by the second.
//
//   Arriving arriving(x);
//   … arriving.values<float>() …
#pragma once

#include <memory>
#include <vector>

#include "heed/tensor/host_array.h"

namespace heed {

class Arriving {
 public:
  Arriving() = default;
  /// Begins. Nobody may write to x until its values have come.
  explicit Arriving(const Tensor& x);
  Arriving(Arriving&&) noexcept = default;
  Arriving& operator=(Arriving&&) = delete;

  bool defined() const { return from_.defined(); }
  const Shape& shape() const { return from_.shape(); }
  int64_t size(int axis) const { return from_.size(axis); }
  /// Waits until they have come: all elements, row-major, cast to T.
  template <class T>
  std::vector<T> values();

 private:
  Tensor from_;  // its memory is given out again when they have come
  HostArray host_;
  std::unique_ptr<Arrival> arrival_;  // ends first, and waits
};

extern template std::vector<float> Arriving::values();
extern template std::vector<int32_t> Arriving::values();

}  // namespace heed
