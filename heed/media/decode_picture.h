// A picture from the bytes of its file: JPEG or PNG, told apart by the first bytes, never by name.
//
//   colour         grey, palette, RGB, CMYK and YCCK (Adobe's are stored inverted) all become RGB.
//                  Colour profiles and gamma are ignored, as in most programs that train on them.
//   16 bits        are rounded to 8
//   transparency   shows white, like a page. (PIL's convert("RGB") shows whatever colour a program
//                  has left under the transparent pixels.)
//   orientation    that of EXIF is applied
//
// Width and height are read from the header and checked before anything is decoded, so that a small
// file cannot ask for much memory. Whatever is damaged or cut off is an Error with the file's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/media/picture.h"

namespace heed {

using PictureBytes = std::span<const std::uint8_t>;

struct DecodeOptions {
  std::string name = "picture";           // of the file, in messages
  std::int64_t most_pixels = 64'000'000;  // a larger picture is refused; decoding takes up to 11
                                          // bytes a pixel
  /// If this is not 0, a JPEG comes out at 1/2, 1/4 or 1/8 of its size where both sides keep at
  /// least this many pixels. That is many times faster and a little less sharp than decoding it
  /// whole; the result depends on the file and on this number only.
  std::int32_t enough = 0;
};

enum class PictureFormat { jpeg, png };

struct PictureHeader {
  PictureFormat format = PictureFormat::jpeg;
  std::int32_t width = 0;  // as stored, before it is turned the right way up
  std::int32_t height = 0;
};

/// What the header says; Fault::file where it is no picture, damaged there, or too large.
PictureHeader read_picture_header(PictureBytes file, const DecodeOptions& options = {});

Picture decode_picture(PictureBytes file, const DecodeOptions& options = {});

// ---- For the decoders.

/// Fault::file where a picture of these sides has too many pixels.
void check_picture_size(std::int64_t width, std::int64_t height, const DecodeOptions& options);

/// Throws the Fault::file for what a library said about a file.
[[noreturn]] void fail_damaged(const DecodeOptions& options, std::string_view format,
                               std::string_view what);

}  // namespace heed
