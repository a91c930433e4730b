// Resizing with antialiasing, as PIL's Image.resize does it. Pixel i of n becomes
//
//   y_i = Σ_j x_j · f((j + ½ − c_i) / s) / Σ_j f((j + ½ − c_i) / s),   c_i = (i + ½) · m / n,
//   s = max(1, m / n)
//
// along the rows and then along the columns, for m pixels that become n; as in Pillow 13, along the columns first where
// the height loses more than twice as many pixels as the width. When a picture shrinks, f is stretched over all the
// pixels that fall into one, so that none is passed over.
//
//   bilinear   f(t) = 1 − |t|                                          for |t| < 1
//   bicubic    f(t) = 3/2 |t|³ − 5/2 |t|² + 1                          for |t| < 1
//              f(t) = −1/2 |t|³ + 5/2 |t|² − 4 |t| + 2                 for 1 ≤ |t| < 2
//              (Keys 1981 with a = −1/2)
//
// The weights are rounded to 22 binary places and the sums are integers, so that the result does
// not depend on the order of summation or on the machine's vectors.
#pragma once

#include <cstdint>

#include "heed/media/crop.h"
#include "heed/media/picture.h"

namespace heed {

enum class Interpolation { bilinear, bicubic };

struct ResizeOptions {
  std::int32_t width = 0;
  std::int32_t height = 0;
  Interpolation interpolation = Interpolation::bilinear;
};

/// The part of the picture, which knows nothing of what lies around it, at these sides.
Picture resized(const Picture& picture, const PixelBox& part, const ResizeOptions& options);

}  // namespace heed
