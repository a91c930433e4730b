// Parts of a picture, and its mirror image.
#pragma once

#include <cstdint>

#include "heed/base/philox.h"
#include "heed/media/picture.h"

namespace heed {

/// Columns left … left + width − 1 of rows top … top + height − 1.
struct PixelBox {
  std::int32_t left = 0;
  std::int32_t top = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;

  bool operator==(const PixelBox&) const = default;
};

/// All of it.
PixelBox whole_of(const Picture& picture);

/// The largest square in the middle; what is left over is cut off evenly, an odd pixel at the end.
PixelBox centre_square(const Picture& picture);

/// A part of `box` at random: a share s of both its sides, s uniform between `least_share` and 1,
/// and any position uniformly. It takes the draws `first`, `first` + 1 and `first` + 2.
PixelBox random_part(const PixelBox& box, double least_share, const Draws& draws,
                     std::uint64_t first);

/// Throws unless the part has pixels and all of them are inside the picture.
void require_inside(const Picture& picture, const PixelBox& part);

/// The pixels of this part.
Picture cropped(const Picture& picture, const PixelBox& part);

/// Swaps left and right.
void mirror(Picture& picture);

}  // namespace heed
