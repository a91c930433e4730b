// PNG by libpng: see decode_picture.h, which chooses between the formats.
#pragma once

#include "heed/media/decode_picture.h"

namespace heed {

PictureHeader read_png_header(PictureBytes file, const DecodeOptions& options);
Picture decode_png(PictureBytes file, const DecodeOptions& options);

}  // namespace heed
