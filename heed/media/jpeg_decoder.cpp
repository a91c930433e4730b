// The library reports an error by a call that must not return, from which we leave by longjmp. A
// jump runs no destructors, so each function here that calls setjmp, and each that the library calls,
// has only plain values; what must be freed belongs to the caller.
#include "heed/media/jpeg_decoder.h"

#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/allowance.h"
#include "heed/media/orientation.h"

namespace heed {
namespace {

/// A progressive picture has about ten scans. A file of many empty ones would keep us busy.
constexpr int most_scans = 100;

class JpegReader {
 public:
  JpegReader() { info.client_data = this; }
  ~JpegReader() { jpeg_destroy_decompress(&info); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

JpegReader& reader_of(j_common_ptr info) { return *static_cast<JpegReader*>(info->client_data); }

void leave_jpeg(j_common_ptr info) {
  JpegReader& reader = reader_of(info);
  info->err->format_message(info, reader.message.data());
  std::longjmp(reader.jump, 1);  // NOLINT: see the top of this file
}

/// Warnings are about damaged or missing data, except these, which whole pictures have too.
bool is_harmless(int code) {
  return code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR;
}

void take_jpeg_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) {
    leave_jpeg(info);
  }
}

void say_nothing(j_common_ptr /*info*/) {}

/// The library calls this between rows of blocks, also while it reads a progressive picture's scans.
void watch_progress(j_common_ptr info) {
  JpegReader& reader = reader_of(info);
  if (!goes_on()) {
    std::longjmp(reader.jump, 1);  // NOLINT
  }
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > most_scans) {
    std::snprintf(reader.message.data(), reader.message.size(), "more than %d scans", most_scans);
    std::longjmp(reader.jump, 1);  // NOLINT
  }
}

bool open_jpeg(JpegReader& reader, const std::uint8_t* bytes, std::size_t size, long most_bytes) {
  jpeg_decompress_struct& info = reader.info;
  info.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = leave_jpeg;
  reader.errors.emit_message = take_jpeg_message;
  reader.errors.output_message = say_nothing;
  if (setjmp(reader.jump) != 0) {  // NOLINT
    return false;
  }
  jpeg_create_decompress(&info);
  reader.progress.progress_monitor = watch_progress;
  info.progress = &reader.progress;
  info.mem->max_memory_to_use = most_bytes;
  jpeg_mem_src(&info, bytes, size);
  jpeg_save_markers(&info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_read_header(&info, TRUE);
  return true;
}

/// Reads the passes that come before the first row.
bool start_jpeg(JpegReader& reader) {
  if (setjmp(reader.jump) != 0) {  // NOLINT
    return false;
  }
  jpeg_start_decompress(&reader.info);
  return true;
}

/// From CMYK to RGB, each being how much ink there is, or, where inverted, how little.
void take_ink(const std::uint8_t* from, std::uint8_t* to, unsigned width, bool is_inverted) {
  for (unsigned x = 0; x < width; ++x, from += 4, to += 3) {
    const int black = is_inverted ? from[3] : 255 - from[3];
    for (int i = 0; i < 3; ++i) {
      const int paper = is_inverted ? from[i] : 255 - from[i];
      to[i] = static_cast<std::uint8_t>((paper * black + 127) / 255);
    }
  }
}

/// Reads all rows. `ink` has room for a row of CMYK; it is null where the rows are RGB.
bool read_jpeg_rows(JpegReader& reader, std::uint8_t* pixels, std::uint8_t* ink) {
  if (setjmp(reader.jump) != 0) {  // NOLINT
    return false;
  }
  jpeg_decompress_struct& info = reader.info;
  while (info.output_scanline < info.output_height) {
    std::uint8_t* to = pixels + std::size_t{3} * info.output_width * info.output_scanline;
    JSAMPROW row = ink == nullptr ? to : ink;
    jpeg_read_scanlines(&info, &row, 1);
    if (ink != nullptr) {
      take_ink(ink, to, info.output_width, info.saw_Adobe_marker != 0);
    }
  }
  return true;
}

void open_checked(JpegReader& reader, PictureBytes file, const DecodeOptions& options) {
  constexpr long bytes_a_pixel = 16;  // the coefficients of four channels take eight
  if (!open_jpeg(reader, file.data(), file.size(), bytes_a_pixel * options.most_pixels)) {
    fail_damaged(options, "JPEG", reader.message.data());
  }
  check_picture_size(reader.info.image_width, reader.info.image_height, options);
}

/// By how much to divide the sides so that both keep at least `enough` pixels.
unsigned shrinking(const jpeg_decompress_struct& info, std::int32_t enough) {
  const unsigned side = std::min(info.image_width, info.image_height);
  for (const unsigned divisor : {8U, 4U, 2U}) {
    if (enough > 0 && side / divisor >= static_cast<unsigned>(enough)) {
      return divisor;
    }
  }
  return 1;
}

int jpeg_orientation(const jpeg_decompress_struct& info) {
  constexpr std::string_view title("Exif\0\0", 6);
  for (auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    const PictureBytes block(marker->data, marker->data_length);
    if (block.size() > title.size() && std::equal(title.begin(), title.end(), block.begin())) {
      return exif_orientation(block.subspan(title.size()));
    }
  }
  return 1;
}

}  // namespace

PictureHeader read_jpeg_header(PictureBytes file, const DecodeOptions& options) {
  JpegReader reader;
  open_checked(reader, file, options);
  return {PictureFormat::jpeg, static_cast<std::int32_t>(reader.info.image_width),
          static_cast<std::int32_t>(reader.info.image_height)};
}

Picture decode_jpeg(PictureBytes file, const DecodeOptions& options) {
  JpegReader reader;
  open_checked(reader, file, options);
  jpeg_decompress_struct& info = reader.info;
  const bool has_ink = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = has_ink ? JCS_CMYK : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = shrinking(info, options.enough);
  info.dct_method = JDCT_ISLOW;  // the one that has the same result on every machine
  const bool keeps_coefficients = jpeg_has_multiple_scans(&info) != 0;
  const HeldBytes coefficients(keeps_coefficients
                                   ? sizeof(JCOEF) * info.num_components *
                                         std::size_t{info.image_width} * info.image_height
                                   : 0);
  if (!start_jpeg(reader)) {
    check_goes_on();
    fail_damaged(options, "JPEG", reader.message.data());
  }
  Picture picture{static_cast<std::int32_t>(info.output_width),
                  static_cast<std::int32_t>(info.output_height),
                  {}};
  const HeldBytes held(3 * picture.cells());
  picture.pixels.resize(3 * picture.cells());
  std::vector<std::uint8_t> ink(has_ink ? 4 * std::size_t{info.output_width} : 0);
  if (!read_jpeg_rows(reader, picture.pixels.data(), has_ink ? ink.data() : nullptr)) {
    check_goes_on();
    fail_damaged(options, "JPEG", reader.message.data());
  }
  return oriented(std::move(picture), jpeg_orientation(info));
}

}  // namespace heed
