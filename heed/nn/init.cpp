#include "heed/nn/init.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/thread_pool.h"

namespace heed {
namespace {

/// Calls four(block, to) for each block of four elements, on all threads.
template <class Four>
void draw_fours(int64_t count, float* to, Four&& four) {
  constexpr int64_t chunk = 4096;
  parallel_for((count + chunk - 1) / chunk, [&](int64_t c) {
    const int64_t end = std::min(count, (c + 1) * chunk);
    for (int64_t i = c * chunk; i < end; i += 4) {
      const std::array<float, 4> numbers = four(static_cast<uint64_t>(i / 4));
      std::copy_n(numbers.begin(), std::min<int64_t>(4, end - i), to + i);
    }
  });
}

/// 2u − 1 for the u that Backend::random draws from this word; exact, and never 0.
float between_minus_one_and_one(uint32_t word) {
  const auto odd = static_cast<int32_t>(2 * (word >> 9) + 1);
  return static_cast<float>(odd - (1 << 23)) * 0x1p-23F;
}

std::vector<float> uniforms(const RandomKey& key, int64_t count, double bound) {
  std::vector<float> all(static_cast<size_t>(count));
  const auto factor = static_cast<float>(bound);
  draw_fours(count, all.data(), [draws = Draws(key), factor](uint64_t block) {
    const Philox::Block words = draws.block(block);
    std::array<float, 4> numbers{};
    std::transform(words.begin(), words.end(), numbers.begin(),
                   [factor](uint32_t word) { return factor * between_minus_one_and_one(word); });
    return numbers;
  });
  return all;
}

std::vector<float> normals(const RandomKey& key, int64_t count, double deviation) {
  std::vector<float> all(static_cast<size_t>(count));
  const auto factor = static_cast<float>(deviation);
  draw_fours(count, all.data(), [draws = Draws(key), factor](uint64_t block) {
    std::array<float, 4> numbers = draws.normals(block);
    for (float& number : numbers) {
      number *= factor;
    }
    return numbers;
  });
  return all;
}

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

/// Row-major values to a tensor without gaps, of its type.
template <class T>
void write(const Tensor& to, const std::vector<T>& values) {
  with_type(to.dtype(), [&](auto kind) {
    const std::vector<decltype(kind)> cast(values.begin(), values.end());
    to.backend().upload(to.view(), cast.data());
  });
}

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
  return watched(is_filled_ ? Tensor::full(shape, value, place_.exact())
                            : Tensor::empty(shape, place_.exact()));
}

Tensor Init::uniform(const Shape& shape, double bound) {
  if (is_blank_) {
    return zeros(shape);
  }
  take(shape);
  const Tensor out = Tensor::empty(shape, place_.exact());  // first, because it may be too large
  write(out, uniforms(next(), shape.numel(), bound));
  return watched(out);
}

Tensor Init::normal(const Shape& shape, double deviation) {
  if (is_blank_) {
    return zeros(shape);
  }
  take(shape);
  const Tensor out = Tensor::empty(shape, place_.exact());
  write(out, normals(next(), shape.numel(), deviation));
  return watched(out);
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
  const Tensor out = Tensor::empty({blocks * rows, columns}, place_.exact());
  const std::vector<float> draw = normals(next(), blocks * rows * columns, 1);
  for (int64_t b = 0; b < blocks; ++b) {  // one at a time, because doubles take memory
    const auto first = draw.begin() + b * rows * columns;
    std::vector<double> block(first, first + rows * columns);
    orthonormalise(block, shorter, longer);
    if (rows > columns) {
      block = transposed(block, shorter, longer);
    }
    write(out.seen_as(sliced(out.view(), 0, b * rows, rows)), block);
  }
  return watched(out);
}

}  // namespace heed
