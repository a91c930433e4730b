// A decoded picture: rows of pixels from the top, each pixel its red, green and blue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed {

struct Picture {
  int32_t width = 0;
  int32_t height = 0;
  std::vector<uint8_t> pixels;  // [height, width, 3]

  std::size_t cells() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

/// A picture of one colour.
Picture plain_picture(int32_t width, int32_t height, uint8_t grey);

}  // namespace heed
