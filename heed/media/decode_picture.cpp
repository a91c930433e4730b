#include "heed/media/decode_picture.h"

#include <array>

#include "heed/base/error.h"
#include "heed/media/jpeg_decoder.h"
#include "heed/media/png_decoder.h"

namespace heed {
namespace {

bool begins_with(PictureBytes file, std::string_view magic, std::size_t at = 0) {
  if (file.size() < at + magic.size()) {
    return false;
  }
  for (std::size_t i = 0; i < magic.size(); ++i) {
    if (file[at + i] != static_cast<unsigned char>(magic[i])) {
      return false;
    }
  }
  return true;
}

/// What a file that is neither JPEG nor PNG seems to be.
std::string_view other_format(PictureBytes file) {
  struct Magic {
    std::string_view bytes;
    std::size_t at;
    std::string_view name;
  };
  static constexpr std::string_view recording = "a recording, which heed transcribe hears";
  static constexpr std::array<Magic, 10> known = {{{"GIF8", 0, "a GIF picture"},
                                                   {"WEBP", 8, "a WebP picture"},
                                                   {"BM", 0, "a BMP picture"},
                                                   {{"II*\0", 4}, 0, "a TIFF picture"},
                                                   {{"MM\0*", 4}, 0, "a TIFF picture"},
                                                   {"ftyp", 4, "a HEIF or AVIF picture, or a film"},
                                                   {"WAVE", 8, recording},
                                                   {"fLaC", 0, recording},
                                                   {"OggS", 0, recording},
                                                   {"<", 0, "markup"}}};
  for (const Magic& one : known) {
    if (begins_with(file, one.bytes, one.at)) {
      return one.name;
    }
  }
  return file.empty() ? "an empty file" : "a file of another kind";
}

PictureFormat format_of(PictureBytes file, const DecodeOptions& options) {
  if (begins_with(file, "\xFF\xD8\xFF")) {
    return PictureFormat::jpeg;
  }
  if (begins_with(file, "\x89PNG\r\n\x1A\n")) {
    return PictureFormat::png;
  }
  fail(Fault::file, "{}: this is {}; give a JPEG or PNG picture", options.name, other_format(file));
}

}  // namespace

void check_picture_size(std::int64_t width, std::int64_t height, const DecodeOptions& options) {
  if (width < 1 || height < 1 || width > options.most_pixels / height) {
    fail(Fault::file,
         "{}: a picture of {} × {} pixels is not possible; it may have 1 to {} pixels; make it "
         "smaller",
         options.name, width, height, options.most_pixels);
  }
}

void fail_damaged(const DecodeOptions& options, std::string_view format, std::string_view what) {
  fail(Fault::file, "{}: the {} picture is damaged ({}); replace or remove it", options.name,
       format, what);
}

PictureHeader read_picture_header(PictureBytes file, const DecodeOptions& options) {
  return format_of(file, options) == PictureFormat::jpeg ? read_jpeg_header(file, options)
                                                         : read_png_header(file, options);
}

Picture decode_picture(PictureBytes file, const DecodeOptions& options) {
  return format_of(file, options) == PictureFormat::jpeg ? decode_jpeg(file, options)
                                                         : decode_png(file, options);
}

}  // namespace heed
