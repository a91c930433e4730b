// Sums, products and similar functions; operands broadcast.
//
//   f(x, y)         ∂f/∂x            ∂f/∂y
//   x + y           1                1
//   x − y           1                −1
//   x y             y                x
//   x / y           1 / y            −(x / y) / y
//   max(x, y)       1 where x ≥ y    1 where x < y      (a tie goes to x)
//   min(x, y)       1 where x ≤ y    1 where x > y      (a tie goes to x)
//   a x + b         a
//   |x|             sign x, 0 at 0
//   1 / x           −1 / x²
//   clamp(x)        1 where lo ≤ x ≤ hi, else 0
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

Tensor add(const Tensor& x, const Tensor& y);
Tensor subtract(const Tensor& x, const Tensor& y);
Tensor multiply(const Tensor& x, const Tensor& y);
Tensor divide(const Tensor& x, const Tensor& y);
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor minimum(const Tensor& x, const Tensor& y);
Tensor maximum(const Tensor& x, double a);
Tensor minimum(const Tensor& x, double a);

/// a x + b
Tensor affine(const Tensor& x, double a, double b = 0);
Tensor absolute(const Tensor& x);
Tensor reciprocal(const Tensor& x);
/// x limited to [lo, hi].
Tensor clamp(const Tensor& x, double lo, double hi);

inline Tensor operator+(const Tensor& x, const Tensor& y) { return add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return subtract(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return multiply(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return divide(x, y); }

inline Tensor operator+(const Tensor& x, double b) { return affine(x, 1, b); }
inline Tensor operator-(const Tensor& x, double b) { return affine(x, 1, -b); }
inline Tensor operator*(const Tensor& x, double a) { return affine(x, a); }
inline Tensor operator/(const Tensor& x, double a) { return affine(x, 1 / a); }

inline Tensor operator+(double b, const Tensor& x) { return affine(x, 1, b); }
inline Tensor operator-(double b, const Tensor& x) { return affine(x, -1, b); }
inline Tensor operator*(double a, const Tensor& x) { return affine(x, a); }
inline Tensor operator/(double a, const Tensor& x) { return affine(reciprocal(x), a); }

inline Tensor operator-(const Tensor& x) { return affine(x, -1); }

}  // namespace heed
