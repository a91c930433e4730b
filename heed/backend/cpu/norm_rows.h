// The views of device/kernel/norm.h as the kernels in norm.cpp see them.
#pragma once

#include <functional>

#include "heed/backend/cpu/dense_rows.h"
#include "heed/device/kernel/norm.h"
#include "heed/device/shape_format.h"

namespace heed::cpu {

/// One number a row, [N, 1]; null where there is none.
struct Column {
  Column(const View& view, int64_t rows)
      : data(view.as<float>()), stride(data == nullptr ? 0 : view.strides[0]) {
    require(data == nullptr || view.shape == Shape{rows, 1}, "norm: saw {}, needs {}", view.shape,
            Shape{rows, 1});
  }
  float& operator[](int64_t row) const { return data[row * stride]; }
  float* data;
  int64_t stride;
};

struct NormRows {
  DenseRows y;
  Column mean;  // null: RMS norm
  Column scale;
  DenseRows x;
  const float* weight;
  const float* bias;
  float epsilon;
  int64_t n;  // elements of a row
};

struct NormGradientRows {
  DenseRows dx;
  DenseRows dy;
  DenseRows x;
  Column mean;
  Column scale;
  const float* weight;
  bool wants_dx;
  bool wants_sums;
  int64_t n;
};

/// The views of a call; an Error if they do not fit.
NormRows rows_of(const RowNorm& views);
/// Norms rows [begin, end).
void norm_some(const NormRows& rows, int64_t begin, int64_t end);
/// The gradient of all rows. `after(begin, end)`, if it is not null, is called on any thread for a few
/// rows whose dx has been written.
void norm_gradient_of(const RowNormGradient& views,
                      const std::function<void(int64_t, int64_t)>* after);

}  // namespace heed::cpu
