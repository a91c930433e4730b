#include "heed/model/file/quantised.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "heed/base/error.h"
#include "heed/device/convert.h"
#include "heed/model/file/file_tensor.h"

namespace heed {
namespace {

constexpr int byte_of_zero = 128;
constexpr float largest_whole = 127;

template <class T>
FileTensor stored_as(const FileTensor& like, const std::vector<float>& values) {
  std::vector<T> stored(values.size());
  std::transform(values.begin(), values.end(), stored.begin(), converted<T, float>);
  return {like.name, dtype_of<T>, like.shape,
          std::string(reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(T))};
}

bool is_matrix(const FileTensor& tensor) { return tensor.shape.size() == 2; }

/// A matrix of bytes with a scale for each row, read a few rows at a time.
class QuantisedRows {
 public:
  QuantisedRows(const FileTensor& matrix, const FileTensor& scale)
      : matrix_(matrix), scales_(widened(scale)), width_(static_cast<size_t>(matrix.shape[1])) {}

  const std::vector<float>& scales() const { return scales_; }
  size_t rows_at_once() const {
    constexpr size_t values_at_once = size_t{1} << 14;
    return std::max(size_t{1}, values_at_once / std::max(size_t{1}, width_));
  }

  /// The numbers of the rows from `first` to `end`, without the latter.
  void read(size_t first, size_t end, float* values) {
    bytes_.resize((end - first) * width_);
    matrix_.bytes.read(first * width_, bytes_.data(), bytes_.size());
    for (size_t row = first; row < end; ++row) {
      const char* const own = bytes_.data() + (row - first) * width_;
      for (size_t k = 0; k < width_; ++k) {
        const int whole = static_cast<int>(static_cast<unsigned char>(own[k])) - byte_of_zero;
        *values++ = scales_[row] * static_cast<float>(whole);
      }
    }
  }

 private:
  const FileTensor& matrix_;
  std::vector<float> scales_;
  size_t width_;
  std::string bytes_;
};

/// The numbers of a whole matrix of bytes with its scales.
std::vector<float> dequantised(const FileTensor& matrix, const FileTensor& scale) {
  std::vector<float> values(matrix.bytes.size());
  QuantisedRows(matrix, scale).read(0, static_cast<size_t>(matrix.shape[0]), values.data());
  return values;
}

/// Appends the matrix as bytes and its scales.
void add_quantised(const FileTensor& like, std::span<const float> values,
                   std::vector<FileTensor>& to) {
  const auto rows = static_cast<size_t>(like.shape[0]);
  const auto width = static_cast<size_t>(like.shape[1]);
  std::string bytes(values.size(), static_cast<char>(byte_of_zero));
  std::vector<float> scales(rows, 0);
  for (size_t row = 0; row < rows; ++row) {
    const std::span<const float> own = values.subspan(row * width, width);
    float largest = 0;
    for (const float value : own) {
      largest = std::max(largest, std::fabs(value));
    }
    scales[row] = largest / largest_whole;
    for (size_t k = 0; k < width && scales[row] > 0; ++k) {
      const float whole = std::floor(own[k] / scales[row] + 0.5F);
      bytes[row * width + k] = static_cast<char>(static_cast<unsigned char>(
          static_cast<int>(std::clamp(whole, -largest_whole, largest_whole)) + byte_of_zero));
    }
  }
  to.push_back({like.name, DType::u8, like.shape, std::move(bytes)});
  to.push_back({scale_name(like.name),
                DType::f32,
                {like.shape[0]},
                std::string(reinterpret_cast<const char*>(scales.data()), rows * sizeof(float))});
}

/// Converts a few rows at a time, so that a large weight is never copied as a whole.
template <class T>
void fill_rows(const Tensor& to, QuantisedRows& rows) {
  const auto count = static_cast<size_t>(to.shape()[0]);
  const auto width = static_cast<size_t>(to.shape()[1]);
  const size_t room = std::min(rows.rows_at_once(), count) * width;
  std::vector<float> values(room);
  std::vector<T> converted_values(room);
  for (size_t first = 0; first < count; first += rows.rows_at_once()) {
    const size_t end = std::min(count, first + rows.rows_at_once());
    rows.read(first, end, values.data());
    std::transform(values.data(), values.data() + (end - first) * width, converted_values.data(),
                   converted<T, float>);
    to.backend().upload(
        sliced(to.view(), 0, static_cast<int64_t>(first), static_cast<int64_t>(end - first)),
        converted_values.data());
  }
}

/// Vocabularies, whole numbers, vectors and, in int8, what has more axes than a matrix.
bool is_left_alone(const FileTensor& tensor, Precision precision) {
  return tensor.name.starts_with("vocabulary.") || tensor.type == DType::i32 ||
         tensor.shape.size() < 2 || (precision == Precision::int8 && !is_matrix(tensor));
}

}  // namespace

std::string scale_name(const std::string& tensor) { return tensor + ".scale"; }

SafetensorsFile in_precision(const SafetensorsFile& file, Precision precision,
                             const std::string& who) {
  SafetensorsFile out;
  out.metadata = file.metadata;
  for (const FileTensor& tensor : file.tensors) {
    if (tensor.name.starts_with("optimiser.")) {
      fail(Fault::usage,
           "{}: this is a checkpoint, whose optimiser needs all bits; give the run's "
           "model.safetensors",
           who);
    }
    const bool is_scale =
        tensor.name.ends_with(".scale") &&
        std::any_of(file.tensors.begin(), file.tensors.end(), [&tensor](const FileTensor& other) {
          return other.type == DType::u8 && scale_name(other.name) == tensor.name;
        });
    if (is_scale) {
      continue;
    }
    if (is_left_alone(tensor, precision)) {
      out.tensors.push_back(tensor);
      continue;
    }
    const FileTensor* scale =
        tensor.type == DType::u8 ? file.find(scale_name(tensor.name)) : nullptr;
    const std::vector<float> values = scale ? dequantised(tensor, *scale) : widened(tensor);
    if (precision == Precision::int8) {
      add_quantised(tensor, values, out.tensors);
    } else {
      out.tensors.push_back(precision == Precision::bf16 ? stored_as<Bf16>(tensor, values)
                                                         : stored_as<float>(tensor, values));
    }
  }
  return out;
}

std::string stored_precision(const SafetensorsFile& file) {
  const auto is_any = [&file](DType type) {
    return std::any_of(file.tensors.begin(), file.tensors.end(), [type](const FileTensor& one) {
      return one.type == type && one.shape.size() >= 2 && !one.name.starts_with("vocabulary.");
    });
  };
  return is_any(DType::u8)     ? "int8"
         : is_any(DType::bf16) ? "bf16"
         : is_any(DType::f16)  ? "f16"
                               : "f32";
}

bool is_quantised(const FileTensor& from, const Tensor& to) {
  return from.type == DType::u8 && is_real(to.dtype());
}

void fill_from_quantised(const Tensor& to, const FileTensor& from, const FileTensor& scale,
                         const std::string& who) {
  Shape shape;
  for (const int64_t length : from.shape) {
    shape.push(length);
  }
  const bool fits = shape == to.shape() && is_matrix(from) && scale.type == DType::f32 &&
                    scale.shape == std::vector<int64_t>{from.shape[0]};
  if (!fits) {
    fail(
        Fault::file,
        "{}: {} is stored in bytes of shape {} with scales that do not fit it; the file is corrupt",
        who, from.name, shape);
  }
  QuantisedRows rows(from, scale);
  if (!std::all_of(rows.scales().begin(), rows.scales().end(),
                   [](float s) { return std::isfinite(s * byte_of_zero); })) {
    fail(Fault::file, "{}: the scales of {} are not finite; the file is corrupt", who, from.name);
  }
  with_any_type(to.dtype(), [&](auto wanted) { fill_rows<decltype(wanted)>(to, rows); });
}

}  // namespace heed
