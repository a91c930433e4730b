#include "heed/nn/init.h"

#include <cmath>

namespace heed {
namespace {

/// In-place Gram-Schmidt on the rows of a [rows, columns] matrix, rows ≤ columns. Two passes are
/// enough in double precision.
void orthonormalise(std::vector<double>& m, int64_t rows, int64_t columns) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t i = 0; i < rows; ++i) {
      double* row = &m[i * columns];
      for (int64_t k = 0; k < i; ++k) {
        const double* other = &m[k * columns];
        double along = 0;
        for (int64_t j = 0; j < columns; ++j) {
          along += row[j] * other[j];
        }
        for (int64_t j = 0; j < columns; ++j) {
          row[j] -= along * other[j];
        }
      }
      double square = 0;
      for (int64_t j = 0; j < columns; ++j) {
        square += row[j] * row[j];
      }
      for (int64_t j = 0; j < columns; ++j) {
        row[j] /= std::sqrt(square);
      }
    }
  }
}

/// A [rows, columns] matrix as one of [columns, rows].
std::vector<double> transposed(const std::vector<double>& m, int64_t rows, int64_t columns) {
  std::vector<double> out(m.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out[j * rows + i] = m[i * columns + j];
    }
  }
  return out;
}

Tensor watched(Tensor tensor) { return tensor.watch(); }

}  // namespace

void Init::take(const Shape& shape) {
  const int64_t elements = shape.numel();
  if (!room_) {
    return;
  }
  const bool fits = room_->tensors >= 1 && room_->elements >= elements;
  require(fits || is_filled_,
          "its settings need {} more weights of shape {}, and the file has only {} tensors with {} "
          "weights left; the file is incomplete, or its settings are another model's",
          elements, shape, room_->tensors, room_->elements);
  require(fits,
          "these settings need {} more weights of shape {}, and memory has room for {}; choose "
          "smaller widths, or fewer words",
          elements, shape, room_->elements);
  room_->tensors -= 1;
  room_->elements -= elements;
}

Tensor Init::constant(const Shape& shape, double value) {
  take(shape);
  return watched(is_filled_ ? Tensor::full(shape, value, place_) : Tensor::empty(shape, place_));
}

Tensor Init::uniform(const Shape& shape, double bound) {
  if (is_blank_) {
    return zeros(shape);
  }
  take(shape);
  const Tensor draw = Tensor::random(shape, Distribution::uniform, next(), place_);
  const View in[] = {draw.view()};
  place_.backend->map(function<fn::Affine>, draw.view(), in, {2 * bound, -bound});
  return watched(draw);
}

Tensor Init::normal(const Shape& shape, double deviation) {
  if (is_blank_) {
    return zeros(shape);
  }
  take(shape);
  const Tensor draw = Tensor::random(shape, Distribution::normal, next(), place_);
  const View in[] = {draw.view()};
  place_.backend->map(function<fn::Affine>, draw.view(), in, {deviation, 0});
  return watched(draw);
}

Tensor Init::glorot(const Shape& shape) {
  require(shape.rank() >= 2, "glorot: saw shape {}, needs at least two axes", to_string(shape));
  return uniform(shape, std::sqrt(6.0 / static_cast<double>(shape[-1] + shape[-2])));
}

Tensor Init::glorot(int64_t blocks, int64_t rows, int64_t columns) {
  return uniform({blocks * rows, columns}, std::sqrt(6.0 / static_cast<double>(rows + columns)));
}

Tensor Init::orthogonal(int64_t blocks, int64_t rows, int64_t columns) {
  if (is_blank_) {
    return zeros({blocks * rows, columns});
  }
  take({blocks * rows, columns});
  const int64_t shorter = std::min(rows, columns);
  const int64_t longer = std::max(rows, columns);
  const Tensor draw =
      Tensor::random({blocks, shorter, longer}, Distribution::normal, next(), place_);
  const Tensor out = Tensor::empty({blocks * rows, columns}, place_);
  for (int64_t b = 0; b < blocks; ++b) {  // one at a time, because doubles take memory
    std::vector<double> block = draw.seen_as(sliced(draw.view(), 0, b, 1)).values<double>();
    orthonormalise(block, shorter, longer);
    if (rows > columns) {
      block = transposed(block, shorter, longer);
    }
    place_.backend->copy(sliced(out.view(), 0, b * rows, rows),
                         Tensor::of(block, {rows, columns}, place_).view());
  }
  return watched(out);
}

}  // namespace heed
