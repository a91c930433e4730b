// The rows of a view [N, D] with dense rows, for kernels that take views of different widths.
#pragma once

#include "heed/device/shape_format.h"
#include "heed/device/view.h"

namespace heed::cpu {

class DenseRows {
 public:
  DenseRows(const View& view, int64_t rows, int64_t width, const char* who)
      : data_(view.as<float>()), stride_(view.strides[0]) {
    if (view.shape != Shape{rows, width} || view.dtype != DType::f32 ||
        (view.strides[1] != 1 && width > 1)) {
      fail("{}: saw {} {} (stride {}), needs f32 {} with dense rows", who, name_of(view.dtype),
           to_string(view.shape), view.strides[1], to_string({rows, width}));
    }
  }
  float* operator[](int64_t row) const { return data_ + row * stride_; }

 private:
  float* data_;
  int64_t stride_;
};

}  // namespace heed::cpu
