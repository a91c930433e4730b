#include "heed/tensor/host_array.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "heed/device/convert.h"

namespace heed {

HostArray::HostArray(const Shape& shape, const Place& place)
    : shape_(shape),
      place_(place),
      size_(static_cast<size_t>(shape.numel()) * bytes_of(place.dtype)),
      data_(place.backend->staging().allocate(size_, Stream{0})) {}

HostArray::~HostArray() { release(); }

HostArray::HostArray(HostArray&& other) noexcept
    : shape_(other.shape_),
      place_(std::exchange(other.place_, {})),
      size_(std::exchange(other.size_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

HostArray& HostArray::operator=(HostArray&& other) noexcept {
  if (this != &other) {
    release();
    shape_ = other.shape_;
    place_ = std::exchange(other.place_, {});
    size_ = std::exchange(other.size_, 0);
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

void HostArray::release() {
  if (data_ != nullptr) {
    place_.backend->staging().free(data_, size_, Stream{0});
  }
}

template <class T>
void HostArray::write_cast(int64_t first, std::span<const T> values) {
  require(first >= 0 && first + static_cast<int64_t>(values.size()) <= shape_.numel(),
          "host array: saw {} values at {}, needs them within {}", values.size(), first, shape_);
  with_any_type(place_.dtype, [&](auto kind) {
    auto* to = static_cast<decltype(kind)*>(data_) + first;
    if constexpr (std::is_same_v<decltype(kind), T>) {
      std::copy(values.begin(), values.end(), to);
    } else {
      std::transform(values.begin(), values.end(), to, converted<decltype(kind), T>);
    }
  });
}

void HostArray::write(int64_t first, std::span<const float> values) { write_cast(first, values); }
void HostArray::write(int64_t first, std::span<const int32_t> values) { write_cast(first, values); }
void HostArray::write(int64_t first, std::span<const uint8_t> values) { write_cast(first, values); }

Tensor HostArray::uploaded() const {
  Tensor out = Tensor::empty(shape_, place_);
  place_.backend->upload(out.view(), data_);
  return out;
}

}  // namespace heed
