// Numbers on the host that will be a tensor, or were one. They lie where their backend uploads from
// and downloads to (Backend::staging), so whoever fills them, such as a thread that prepares a batch,
// leaves nothing to the one that uploads.
#pragma once

#include <cstddef>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

class HostArray {
 public:
  HostArray() = default;
  /// Row-major, not filled.
  HostArray(const Shape& shape, const Place& place);
  ~HostArray();
  HostArray(HostArray&& other) noexcept;
  HostArray& operator=(HostArray&& other) noexcept;

  bool defined() const { return place_.backend != nullptr; }
  const Shape& shape() const { return shape_; }
  const Place& place() const { return place_; }
  std::byte* data() { return static_cast<std::byte*>(data_); }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  /// The elements, if T is their type.
  template <class T>
  std::span<const T> as() const {
    require(place_.dtype == dtype_of<T>, "host array: saw elements of another type, needs {}",
            name_of(place_.dtype));
    return {static_cast<const T*>(data_), size_ / sizeof(T)};
  }

  /// Fills the elements from `first` on, cast to their type.
  void write(int64_t first, std::span<const float> values);
  void write(int64_t first, std::span<const int32_t> values);
  void write(int64_t first, std::span<const uint8_t> values);

  Tensor uploaded() const;

 private:
  template <class T>
  void write_cast(int64_t first, std::span<const T> values);
  void release();

  Shape shape_;
  Place place_;
  size_t size_ = 0;  // in bytes
  void* data_ = nullptr;
};

}  // namespace heed
