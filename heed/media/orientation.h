// Which way up a picture is. Cameras store the pixels as the sensor gives them, and how it was held
// in the tag Orientation (0x0112) of an EXIF block (CIPA DC-008, 4.6.5):
//
//   1 as stored                      5 transposed
//   2 mirrored left to right         6 to be turned by 90°, clockwise
//   3 turned by 180°                 7 transposed by the other diagonal
//   4 mirrored top to bottom         8 to be turned by 90°, anticlockwise
#pragma once

#include <cstdint>
#include <span>

#include "heed/media/picture.h"

namespace heed {

/// The orientation that an EXIF block says, which begins with its byte order, "II" or "MM". It is 1
/// where there is none or the block is damaged, because pixels are worth more than their tags.
int exif_orientation(std::span<const std::uint8_t> block);

/// The picture the right way up.
Picture oriented(Picture stored, int orientation);

}  // namespace heed
