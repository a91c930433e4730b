#include "heed/media/orientation.h"

#include <algorithm>
#include <cstddef>

#include "heed/base/allowance.h"
#include "heed/base/error.h"

namespace heed {
namespace {

/// Reads numbers of an EXIF block in its byte order; beyond the end they are 0.
class ExifBlock {
 public:
  explicit ExifBlock(std::span<const std::uint8_t> bytes)
      : bytes_(bytes), is_little_(bytes.size() >= 2 && bytes[0] == 'I') {}

  bool is_valid() const {
    return bytes_.size() >= 8 && bytes_[0] == bytes_[1] && (is_little_ || bytes_[0] == 'M') &&
           number(2, 2) == 42;
  }
  std::size_t number(std::size_t at, std::size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) {
      return 0;
    }
    std::size_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      value = value << 8 | bytes_[at + (is_little_ ? width - 1 - i : i)];
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool is_little_;
};

/// Pixel (x, y) of the result is pixel start + x · right + y · down of what is stored.
struct Walk {
  std::ptrdiff_t start;
  std::ptrdiff_t right;
  std::ptrdiff_t down;
};

Walk walk_of(int orientation, std::ptrdiff_t width, std::ptrdiff_t height) {
  const std::ptrdiff_t last_column = width - 1;
  const std::ptrdiff_t last_row = (height - 1) * width;
  switch (orientation) {
    case 2:
      return {last_column, -1, width};
    case 3:
      return {last_row + last_column, -1, -width};
    case 4:
      return {last_row, 1, -width};
    case 5:
      return {0, width, 1};
    case 6:
      return {last_row, -width, 1};
    case 7:
      return {last_row + last_column, -width, -1};
    case 8:
      return {last_column, width, -1};
    default:
      return {0, 1, width};
  }
}

}  // namespace

int exif_orientation(std::span<const std::uint8_t> block) {
  const ExifBlock exif(block);
  if (!exif.is_valid()) {
    return 1;
  }
  constexpr std::size_t entry_bytes = 12;
  constexpr std::size_t tag_orientation = 0x0112;
  constexpr std::size_t type_short = 3;
  const std::size_t directory = exif.number(4, 4);
  const std::size_t entries = exif.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * entry_bytes;
    if (exif.number(entry, 2) == tag_orientation && exif.number(entry + 2, 2) == type_short) {
      const std::size_t value = exif.number(entry + 8, 2);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  }
  return 1;
}

Picture oriented(Picture stored, int orientation) {
  require(orientation >= 1 && orientation <= 8, "picture: saw orientation {}, needs 1 to 8",
          orientation);
  if (orientation == 1) {
    return stored;
  }
  const bool swaps = orientation >= 5;
  Picture turned{swaps ? stored.height : stored.width, swaps ? stored.width : stored.height, {}};
  const HeldBytes held(2 * stored.pixels.size());  // both are there for a moment
  turned.pixels.resize(stored.pixels.size());
  const Walk walk = walk_of(orientation, stored.width, stored.height);
  std::uint8_t* to = turned.pixels.data();
  for (std::int32_t y = 0; y < turned.height; ++y) {
    check_goes_on();
    const std::uint8_t* from = stored.pixels.data() + 3 * (walk.start + y * walk.down);
    for (std::int32_t x = 0; x < turned.width; ++x, to += 3, from += 3 * walk.right) {
      std::copy_n(from, 3, to);
    }
  }
  return turned;
}

}  // namespace heed
