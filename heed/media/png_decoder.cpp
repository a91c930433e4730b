// As in jpeg_decoder.cpp, the library leaves by longjmp: functions that call setjmp
// have only plain values.
#include "heed/media/png_decoder.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <utility>
#include <vector>

#include "heed/base/allowance.h"
#include "heed/base/error.h"
#include "heed/media/orientation.h"

namespace heed {
namespace {

class PngReader {
 public:
  explicit PngReader(PictureBytes file) : rest(file) {}
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  png_structp png = nullptr;
  png_infop info = nullptr;
  PictureBytes rest;
  int passes = 1;
  std::array<char, 200> message{};
};

void leave_png(png_structp png, png_const_charp what) {
  auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
  const std::size_t length = std::min(std::strlen(what), reader.message.size() - 1);
  std::memcpy(reader.message.data(), what, length);
  reader.message[length] = '\0';
  png_longjmp(png, 1);
}

/// Warnings are about chunks besides the pixels; damaged pixels are errors.
void ignore_png_warning(png_structp /*png*/, png_const_charp /*what*/) {}

void take_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader.rest.size()) {
    png_error(png, "the file ends too early");
  }
  std::memcpy(to, reader.rest.data(), count);
  reader.rest = reader.rest.subspan(count);
}

/// Chunks that are skipped unread: colour profiles and texts are compressed, and not needed.
constexpr std::array<png_byte, 7 * 5> skipped_chunks = {
    'i', 'C', 'C', 'P', 0,   't', 'E', 'X', 't', 0,   'z', 'T', 'X', 't', 0,   'i', 'T', 'X',
    't', 0,   's', 'P', 'L', 'T', 0,   'h', 'I', 'S', 'T', 0,   't', 'I', 'M', 'E', 0};

bool open_png(PngReader& reader) {
  constexpr png_alloc_size_t most_chunk_bytes = 8'000'000;
  constexpr png_uint_32 most_kept_chunks = 128;
  reader.png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, leave_png, ignore_png_warning);
  if (reader.png == nullptr) {
    return false;
  }
  if (setjmp(png_jmpbuf(reader.png)) != 0) {  // NOLINT: see the top of this file
    return false;
  }
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) {
    return false;
  }
  png_set_read_fn(reader.png, &reader, take_png_bytes);
  png_set_chunk_malloc_max(reader.png, most_chunk_bytes);
  png_set_chunk_cache_max(reader.png, most_kept_chunks);
  png_set_keep_unknown_chunks(reader.png, PNG_HANDLE_CHUNK_NEVER, skipped_chunks.data(),
                              static_cast<int>(skipped_chunks.size() / 5));
  png_read_info(reader.png, reader.info);
  return true;
}

/// Asks for rows of 8-bit RGB, or RGBA where anything is transparent.
bool start_png(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) {  // NOLINT
    return false;
  }
  png_set_expand(reader.png);  // palettes to RGB, few bits to eight, a transparent colour to alpha
  png_set_scale_16(reader.png);
  png_set_gray_to_rgb(reader.png);
  reader.passes = png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  return true;
}

/// Reads all rows, in each pass of an interlaced picture, and the chunks behind them.
bool read_png_rows(PngReader& reader, png_bytep pixels, std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) {  // NOLINT
    return false;
  }
  const png_uint_32 height = png_get_image_height(reader.png, reader.info);
  for (int pass = 0; pass < reader.passes; ++pass) {
    for (png_uint_32 y = 0; y < height; ++y) {
      check_goes_on();  // between two calls of the library an exception may leave
      png_read_row(reader.png, pixels + y * row_bytes, nullptr);
    }
  }
  png_read_end(reader.png, reader.info);
  return true;
}

/// libpng takes the memory of some chunks (eXIf) before it reads them, however long they say they are:
/// its limit only warns. So the lengths are compared with the file first.
void check_png_chunks(PictureBytes file, const DecodeOptions& options) {
  constexpr std::size_t signature = 8;
  constexpr std::size_t around = 12;  // length, name and checksum
  for (std::size_t at = signature; at + around <= file.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length = length << 8 | file[at + i];
    }
    if (std::memcmp(file.data() + at + 4, "IEND", 4) == 0) {
      return;
    }
    if (length > file.size() - at - around) {
      fail_damaged(options, "PNG", "the file ends too early");
    }
    at += around + length;
  }
}

PictureHeader open_checked(PngReader& reader, const DecodeOptions& options) {
  check_png_chunks(reader.rest, options);
  if (!open_png(reader)) {
    fail_damaged(options, "PNG", reader.message.data());
  }
  const std::int64_t width = png_get_image_width(reader.png, reader.info);
  const std::int64_t height = png_get_image_height(reader.png, reader.info);
  check_picture_size(width, height, options);
  return {PictureFormat::png, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)};
}

/// From RGBA to RGB on white, in place.
void lay_on_white(std::vector<std::uint8_t>& pixels) {
  const std::size_t count = pixels.size() / 4;
  for (std::size_t i = 0; i < count; ++i) {
    const int alpha = pixels[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int mixed = pixels[4 * i + c] * alpha + 255 * (255 - alpha);
      pixels[3 * i + c] = static_cast<std::uint8_t>((mixed + 127) / 255);
    }
  }
  pixels.resize(3 * count);
}

int png_orientation(const PngReader& reader) {
  png_bytep block = nullptr;
  png_uint_32 size = 0;
  return png_get_eXIf_1(reader.png, reader.info, &size, &block) != 0
             ? exif_orientation({block, size})
             : 1;
}

}  // namespace

PictureHeader read_png_header(PictureBytes file, const DecodeOptions& options) {
  PngReader reader(file);
  return open_checked(reader, options);
}

Picture decode_png(PictureBytes file, const DecodeOptions& options) {
  PngReader reader(file);
  const PictureHeader header = open_checked(reader, options);
  if (!start_png(reader)) {
    fail_damaged(options, "PNG", reader.message.data());
  }
  Picture picture{header.width, header.height, {}};
  const std::size_t channels = png_get_channels(reader.png, reader.info);
  const std::size_t row_bytes = channels * static_cast<std::size_t>(header.width);
  require(
      (channels == 3 || channels == 4) && png_get_rowbytes(reader.png, reader.info) == row_bytes,
      "{}: saw {} channels from libpng, needs 3 or 4", options.name, channels);
  const HeldBytes held(channels * picture.cells());
  picture.pixels.resize(channels * picture.cells());
  if (!read_png_rows(reader, picture.pixels.data(), row_bytes)) {
    fail_damaged(options, "PNG", reader.message.data());
  }
  if (channels == 4) {
    lay_on_white(picture.pixels);
  }
  return oriented(std::move(picture), png_orientation(reader));
}

}  // namespace heed
