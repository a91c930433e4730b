// JPEG by libjpeg-turbo: see decode_picture.h, which chooses between the formats.
#pragma once

#include <cstddef>
#include <cstdio>  // the library's header needs FILE and size_t to be declared before it

#include "heed/media/decode_picture.h"

namespace heed {

PictureHeader read_jpeg_header(PictureBytes file, const DecodeOptions& options);
Picture decode_jpeg(PictureBytes file, const DecodeOptions& options);

}  // namespace heed
