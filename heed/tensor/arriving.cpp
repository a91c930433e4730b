#include "heed/tensor/arriving.h"

#include <algorithm>

#include "heed/device/convert.h"

namespace heed {

Arriving::Arriving(const Tensor& x) : from_(x.dense()), host_(x.shape(), x.place()) {
  arrival_ = from_.backend().begin_download(host_.data(), from_.view());
}

template <class T>
std::vector<T> Arriving::values() {
  if (arrival_) {
    from_.backend().wait(*arrival_);
    arrival_.reset();
  }
  return with_any_type(from_.dtype(), [&](auto kind) {
    const auto raw = host_.as<decltype(kind)>();
    std::vector<T> values(raw.size());
    std::transform(raw.begin(), raw.end(), values.begin(), converted<T, decltype(kind)>);
    return values;
  });
}

template std::vector<float> Arriving::values();
template std::vector<int32_t> Arriving::values();

}  // namespace heed
