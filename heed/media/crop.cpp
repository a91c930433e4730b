#include "heed/media/crop.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

std::int32_t share_of(std::int32_t side, double share) {
  return std::clamp(static_cast<std::int32_t>(std::lround(side * share)), 1, side);
}

std::int32_t place_within(std::int32_t room, const Draws& draws, std::uint64_t draw) {
  return static_cast<std::int32_t>(draws.below(draw, static_cast<std::uint64_t>(room) + 1));
}

}  // namespace

PixelBox whole_of(const Picture& picture) { return {0, 0, picture.width, picture.height}; }

PixelBox centre_square(const Picture& picture) {
  const std::int32_t side = std::min(picture.width, picture.height);
  return {(picture.width - side) / 2, (picture.height - side) / 2, side, side};
}

PixelBox random_part(const PixelBox& box, double least_share, const Draws& draws,
                     std::uint64_t first) {
  const double share = least_share + (1 - least_share) * draws.uniform_double(first);
  PixelBox part{0, 0, share_of(box.width, share), share_of(box.height, share)};
  part.left = box.left + place_within(box.width - part.width, draws, first + 1);
  part.top = box.top + place_within(box.height - part.height, draws, first + 2);
  return part;
}

void require_inside(const Picture& picture, const PixelBox& part) {
  require(part.left >= 0 && part.top >= 0 && part.width > 0 && part.height > 0 &&
              part.width <= picture.width - part.left && part.height <= picture.height - part.top,
          "picture: saw a part of {} × {} pixels at ({}, {}), needs one inside {} × {}", part.width,
          part.height, part.left, part.top, picture.width, picture.height);
}

Picture cropped(const Picture& picture, const PixelBox& part) {
  require_inside(picture, part);
  Picture out{part.width, part.height, {}};
  out.pixels.reserve(3 * out.cells());
  for (std::int32_t y = 0; y < part.height; ++y) {
    const auto start =
        std::ptrdiff_t{3} * (std::ptrdiff_t{part.top + y} * picture.width + part.left);
    const auto row = picture.pixels.begin() + start;
    out.pixels.insert(out.pixels.end(), row, row + std::ptrdiff_t{3} * part.width);
  }
  return out;
}

void mirror(Picture& picture) {
  for (std::int32_t y = 0; y < picture.height; ++y) {
    std::uint8_t* left =
        picture.pixels.data() + std::size_t{3} * static_cast<std::size_t>(picture.width) * y;
    std::uint8_t* right = left + std::size_t{3} * (picture.width - 1);
    for (; left < right; left += 3, right -= 3) {
      std::swap_ranges(left, left + 3, right);
    }
  }
}

}  // namespace heed
