#include "heed/model/file/file_tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/device/convert.h"

namespace heed {
namespace {

/// The bits of the exponent; a value is finite unless all of them are set.
template <class T>
constexpr auto exponent_of() {
  if constexpr (std::is_same_v<T, double>) {
    return std::uint64_t{0x7FF0000000000000};
  } else if constexpr (std::is_same_v<T, float>) {
    return std::uint32_t{0x7F800000};
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return std::uint16_t{0x7F80};
  } else {
    return std::uint16_t{0x7C00};
  }
}

/// Whether `count` values are finite, which may lie at any address. One added to an exponent whose
/// bits are all set carries into the sign. Without a branch, so that compilers take several values
/// at once.
template <class T>
bool all_finite(const void* values, std::size_t count) {
  if constexpr (!std::is_integral_v<T>) {
    constexpr auto exponent = exponent_of<T>();
    using Bits = std::remove_const_t<decltype(exponent)>;
    constexpr Bits one = exponent & (~exponent + 1);
    Bits carried = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Bits bits = 0;
      std::memcpy(&bits, static_cast<const char*>(values) + i * sizeof bits, sizeof bits);
      carried |= static_cast<Bits>((bits & exponent) + one);
    }
    return carried >> (8 * sizeof(Bits) - 1) == 0;
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
  const auto room = static_cast<size_t>(std::min(at_once, count));
  std::vector<From> stored(room);
  std::vector<To> converted_values(std::is_same_v<To, From> ? 0 : room);
  for (int64_t first = 0; first < count; first += at_once) {
    const auto size = static_cast<size_t>(std::min(at_once, count - first));
    from.bytes.read(static_cast<size_t>(first) * sizeof(From),
                    reinterpret_cast<char*>(stored.data()), size * sizeof(From));
    std::span<const To> values;
    if constexpr (std::is_same_v<To, From>) {
      values = {stored.data(), size};
    } else {
      std::transform(stored.data(), stored.data() + size, converted_values.data(),
                     converted<To, From>);
      values = {converted_values.data(), size};
    }
    if (!all_finite<To>(values.data(), size)) {
      fail(Fault::file,
           "{}: a value in {} is not finite as {}; the weights are spoilt, use another file", who,
           from.name, name_of(to.dtype()));
    }
    to.backend().upload(sliced(flat, 0, first, static_cast<int64_t>(size)), values.data());
  }
}

/// The elements of a tensor as it is when they are read.
class BytesOfTensor : public ByteSource {
 public:
  BytesOfTensor(std::string name, const Tensor& tensor)
      : name_(std::move(name)), tensor_(tensor.dense()), width_(bytes_of(tensor.dtype())) {}

  std::uint64_t size() const override {
    return static_cast<std::uint64_t>(tensor_.numel()) * width_;
  }
  void read(std::uint64_t from, char* to, std::size_t count) const override {
    require(from % width_ == 0 && count % width_ == 0 && from <= size() && count <= size() - from,
            "{}: saw {} bytes from {} on, needs whole elements within {}", name_, count, from,
            size());
    const View flat = *reshaped(tensor_.view(), {tensor_.numel()});
    tensor_.backend().download(to, sliced(flat, 0, static_cast<int64_t>(from / width_),
                                          static_cast<int64_t>(count / width_)));
    with_any_type(tensor_.dtype(), [&](auto kind) {
      using T = decltype(kind);
      if (!all_finite<T>(to, count / width_)) {
        fail(Fault::diverged, "{}: a value is not finite and cannot be saved; nothing was written",
             name_);
      }
    });
  }

 private:
  std::string name_;
  Tensor tensor_;
  std::size_t width_;
};

/// Numbers may be stored in any type of numbers with a fraction; anything else as what it is.
bool may_become(DType from, DType to) {
  const auto has_fraction = [](DType type) { return is_real(type) || is_half(type); };
  return from == to || (has_fraction(from) && has_fraction(to));
}

}  // namespace

FileTensor file_tensor(const std::string& name, const Tensor& tensor) {
  auto bytes = std::make_shared<const BytesOfTensor>(name, tensor);
  const std::size_t size = bytes->size();
  return {name, tensor.dtype(), std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end()),
          FileBytes(std::move(bytes), 0, size)};
}

std::vector<float> widened(const FileTensor& tensor) {
  return with_any_type(tensor.type, [&tensor](auto kind) {
    using T = decltype(kind);
    std::vector<T> stored(tensor.bytes.size() / sizeof(T));
    tensor.bytes.read(0, reinterpret_cast<char*>(stored.data()), tensor.bytes.size());
    std::vector<float> values(stored.size());
    std::transform(stored.begin(), stored.end(), values.begin(), converted<float, T>);
    return values;
  });
}

void check_fit(const Tensor& to, const FileTensor& from, const std::string& who) {
  Shape shape;
  for (const int64_t length : from.shape) {
    shape.push(length);
  }
  if (!(shape == to.shape())) {
    fail(Fault::file, "{}: {} has the shape {}, not {}; the file does not fit this model", who,
         from.name, shape, to.shape());
  }
  if (!may_become(from.type, to.dtype())) {
    fail(Fault::file, "{}: {} is stored as {}, not {}; the file is corrupt", who, from.name,
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
