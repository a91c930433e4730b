#include "heed/model/file_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "heed/base/error.h"
#include "heed/device/convert.h"

namespace heed {
namespace {

template <class T>
bool all_finite(std::span<const T> values) {
  if constexpr (!std::is_integral_v<T>) {
    return std::all_of(values.begin(), values.end(),
                       [](T value) { return std::isfinite(static_cast<double>(value)); });
  }
  return true;
}

/// Converts piece by piece, so that a large weight is never copied as a whole.
template <class T>
void fill_as(const Tensor& to, const FileTensor& from, const std::string& who) {
  using Number = std::conditional_t<sizeof(T) < 4, float, T>;  // holds all its values exactly
  constexpr int64_t at_once = 1 << 14;
  const int64_t count = to.numel();
  const View flat = *reshaped(to.view(), {count});  // possible because a parameter is dense
  std::vector<T> values;
  for (int64_t first = 0; first < count; first += at_once) {
    values.resize(static_cast<size_t>(std::min(at_once, count - first)));
    const auto size = static_cast<int64_t>(values.size());
    std::memcpy(values.data(), from.bytes.data() + static_cast<size_t>(first) * sizeof(T),
                values.size() * sizeof(T));
    if (!all_finite<T>(values)) {
      fail(Fault::file,
           "{}: saw a value that is not finite in {}, needs finite ones; the weights "
           "are spoilt, use another file",
           who, from.name);
    }
    std::vector<Number> numbers(values.size());
    std::transform(values.begin(), values.end(), numbers.begin(), converted<Number, T>);
    to.backend().copy(sliced(flat, 0, first, size), Tensor::of(numbers, {size}, to.place()).view());
  }
}

}  // namespace

FileTensor file_tensor(const std::string& name, const Tensor& tensor) {
  return with_any_type(tensor.dtype(), [&](auto kind) {
    using T = decltype(kind);
    std::vector<T> values(static_cast<size_t>(tensor.numel()));
    tensor.backend().download(values.data(), tensor.dense().view());
    if (!all_finite<T>(values)) {
      fail(Fault::diverged,
           "{}: saw a value that is not finite, needs finite ones to save; nothing was written",
           name);
    }
    return FileTensor{
        name, tensor.dtype(), std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end()),
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
  });
}

void fill_from(const Tensor& to, const FileTensor& from, const std::string& who) {
  Shape shape;
  for (const int64_t length : from.shape) {
    shape.push(length);
  }
  if (!(shape == to.shape())) {
    fail(Fault::file, "{}: saw {} of shape {}, needs {}; the file does not fit this model", who,
         from.name, to_string(shape), to_string(to.shape()));
  }
  if (from.type == DType::u8 && to.dtype() != DType::u8) {
    fail(Fault::file, "{}: saw {} as bytes, needs numbers; the file is corrupt", who, from.name);
  }
  with_any_type(from.type, [&](auto kind) { fill_as<decltype(kind)>(to, from, who); });
}

}  // namespace heed
