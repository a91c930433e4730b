// Pictures for tests, and files of them by the libraries' own encoders.
#pragma once

// clang-format off
#include <cstdio>  // jpeglib.h needs FILE
// clang-format on

#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "heed/media/decode_picture.h"

namespace heed::test {

inline PictureBytes bytes_of(const std::string& file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

/// Slopes in all three colours.
inline Picture sloping(std::int32_t width, std::int32_t height) {
  Picture picture{width, height, {}};
  for (std::int32_t y = 0; y < height; ++y) {
    for (std::int32_t x = 0; x < width; ++x) {
      for (const std::int32_t value : {255 * x / width, 255 * y / height, 255 - 255 * x / width}) {
        picture.pixels.push_back(static_cast<std::uint8_t>(value));
      }
    }
  }
  return picture;
}

/// The largest difference of two pictures' values; 256 where their sides differ.
inline int largest_difference(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.size() != b.pixels.size()) {
    return 256;
  }
  int most = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    most = std::max(most, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return most;
}

/// The EXIF block, without its title, that says this orientation.
inline std::string exif_block(int orientation, bool is_little = false) {
  if (is_little) {
    const std::string start("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18);
    return start + std::string{static_cast<char>(orientation), 0, 0, 0, 0, 0, 0, 0};
  }
  const std::string start("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19);
  return start + std::string{static_cast<char>(orientation), 0, 0, 0, 0, 0, 0};
}

struct JpegStyle {
  int quality = 95;
  bool is_progressive = false;
  bool is_subsampled = false;  // 4:2:0
  J_COLOR_SPACE in = JCS_RGB;  // how `pixels` are
  J_COLOR_SPACE stored = JCS_YCbCr;
  int orientation = 0;  // 0: no EXIF
  int restart_rows = 0;
  bool has_whole_scans = false;  // progressive, with nothing refined later
};

/// `pixels` has `channels` values a pixel.
inline std::string jpeg_file(const std::vector<std::uint8_t>& pixels, std::int32_t width,
                             std::int32_t channels, const JpegStyle& style = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(pixels.size()) / info.image_width / channels;
  info.input_components = channels;
  info.in_color_space = style.in;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, style.stored);
  jpeg_set_quality(&info, style.quality, TRUE);
  info.restart_in_rows = style.restart_rows;
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = style.is_subsampled ? 2 : 1;
  if (style.is_progressive) {
    jpeg_simple_progression(&info);
  }
  const jpeg_scan_info whole[] = {{3, {0, 1, 2, 0}, 0, 0, 0, 0},
                                  {1, {0, 0, 0, 0}, 1, 63, 0, 0},
                                  {1, {1, 0, 0, 0}, 1, 63, 0, 0},
                                  {1, {2, 0, 0, 0}, 1, 63, 0, 0}};
  if (style.has_whole_scans) {
    info.scan_info = whole;
    info.num_scans = 4;
  }
  jpeg_start_compress(&info, TRUE);
  if (style.orientation > 0) {
    const std::string block = std::string("Exif\0\0", 6) + exif_block(style.orientation);
    jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(block.data()),
                      static_cast<unsigned>(block.size()));
  }
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data()) +
                std::size_t{info.next_scanline} * info.image_width * channels;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string file(reinterpret_cast<const char*>(out), size);
  std::free(out);
  return file;
}

inline std::string jpeg_file(const Picture& picture, const JpegStyle& style = {}) {
  return jpeg_file(picture.pixels, picture.width, 3, style);
}

struct PngStyle {
  int colours = PNG_COLOR_TYPE_RGB;
  int bits = 8;
  bool is_interlaced = false;
  int orientation = 0;
  std::vector<png_color> palette = {};
};

/// `rows` are as PNG stores them: of 16 bits, the higher byte first.
inline std::string png_file(std::vector<std::string> rows, std::int32_t width,
                            const PngStyle& style = {}) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp to, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(to))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(rows.size()),
               style.bits, style.colours,
               style.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!style.palette.empty()) {
    png_set_PLTE(png, info, style.palette.data(), static_cast<int>(style.palette.size()));
  }
  std::string block = exif_block(style.orientation);
  if (style.orientation > 0) {
    png_set_eXIf_1(png, info, static_cast<png_uint_32>(block.size()),
                   reinterpret_cast<png_bytep>(block.data()));
  }
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (std::string& row : rows) {
    pointers.push_back(reinterpret_cast<png_bytep>(row.data()));
  }
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

inline std::string png_file(const Picture& picture, const PngStyle& style = {}) {
  std::vector<std::string> rows;
  const std::size_t row_bytes = std::size_t{3} * picture.width;
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y) {
    rows.emplace_back(reinterpret_cast<const char*>(picture.pixels.data()) + y * row_bytes,
                      row_bytes);
  }
  return png_file(rows, picture.width, style);
}

}  // namespace heed::test
