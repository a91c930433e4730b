#include "heed/model/file_tensor.h"

#include <algorithm>
#include <cmath>
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

/// Converts piece by piece, so that a large weight is never copied as a whole. Values are judged
/// after the conversion, because a double that is finite may become an infinite float.
template <class To, class From>
void fill_as(const Tensor& to, const FileTensor& from, const std::string& who) {
  constexpr int64_t at_once = 1 << 14;
  const int64_t count = to.numel();
  const View flat = *reshaped(to.view(), {count});  // possible because a parameter is dense
  std::vector<From> stored;
  std::vector<To> values;
  for (int64_t first = 0; first < count; first += at_once) {
    const int64_t size = std::min(at_once, count - first);
    stored.resize(static_cast<size_t>(size));
    values.resize(stored.size());
    from.bytes.read(static_cast<size_t>(first) * sizeof(From),
                    reinterpret_cast<char*>(stored.data()), stored.size() * sizeof(From));
    std::transform(stored.begin(), stored.end(), values.begin(), converted<To, From>);
    if (!all_finite<To>(values)) {
      fail(Fault::file,
           "{}: saw a value in {} that is not finite as {}, needs finite ones; the weights are "
           "spoilt, use another file",
           who, from.name, name_of(to.dtype()));
    }
    to.backend().upload(sliced(flat, 0, first, size), values.data());
  }
}

/// Numbers may be stored in any type of numbers with a fraction; anything else as what it is.
bool may_become(DType from, DType to) {
  const auto has_fraction = [](DType type) { return is_real(type) || is_half(type); };
  return from == to || (has_fraction(from) && has_fraction(to));
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

void check_fit(const Tensor& to, const FileTensor& from, const std::string& who) {
  Shape shape;
  for (const int64_t length : from.shape) {
    shape.push(length);
  }
  if (!(shape == to.shape())) {
    fail(Fault::file, "{}: saw {} of shape {}, needs {}; the file does not fit this model", who,
         from.name, shape, to.shape());
  }
  if (!may_become(from.type, to.dtype())) {
    fail(Fault::file, "{}: saw {} stored as {}, needs {}; the file is corrupt", who, from.name,
         name_of(from.type), is_real(to.dtype()) ? "f32, f64, bf16 or f16" : name_of(to.dtype()));
  }
}

void fill_from(const Tensor& to, const FileTensor& from, const std::string& who) {
  check_fit(to, from, who);
  with_any_type(to.dtype(), [&](auto wanted) {
    with_any_type(from.type,
                  [&](auto kind) { fill_as<decltype(wanted), decltype(kind)>(to, from, who); });
  });
}

}  // namespace heed
