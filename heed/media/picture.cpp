#include "heed/media/picture.h"

#include "heed/base/error.h"

namespace heed {

Picture plain_picture(int32_t width, int32_t height, uint8_t grey) {
  require(width > 0 && height > 0, "picture: saw {} × {} pixels, needs at least one", width,
          height);
  Picture picture{width, height, {}};
  picture.pixels.assign(picture.cells() * 3, grey);
  return picture;
}

}  // namespace heed
