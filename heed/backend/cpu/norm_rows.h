// The views of device/kernel/norm.h as the kernels in norm.cpp see them.
#pragma once

#include "heed/backend/cpu/dense_rows.h"
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

}  // namespace heed::cpu
