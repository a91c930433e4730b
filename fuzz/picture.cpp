// A picture, JPEG or PNG. A PNG has a checksum behind every chunk, which is repaired, so that changes
// reach the decoder.
#include <zlib.h>

#include "fuzz/fuzz_target.h"
#include "heed/media/decode_picture.h"

namespace heed::fuzz {
namespace {

std::uint32_t number_at(const std::string& file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(file[at + i]);
  }
  return value;
}

void repair_checksums(std::string& file) {
  if (!file.starts_with("\x89PNG")) {
    return;
  }
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t length = number_at(file, at);
    if (length > file.size() - at - 12) {
      return;
    }
    const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(file.data() + at + 4),
                            static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) {
      file[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xFF);
    }
    at += 12 + length;
  }
}

}  // namespace
}  // namespace heed::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  std::string file = fuzz::text_of(data, size);
  fuzz::repair_checksums(file);
  fuzz::take_or_refuse(Fault::file, [&file] {
    const PictureBytes bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    constexpr std::int64_t most_pixels = 4096;
    const Picture picture = decode_picture(bytes, {.most_pixels = most_pixels});
    if (picture.pixels.size() != 3 * picture.cells() ||
        picture.cells() > static_cast<std::size_t>(most_pixels)) {
      fuzz::report("saw a picture whose pixels do not fit its sides", "");
    }
    decode_picture(bytes, {.most_pixels = most_pixels, .enough = 4});
  });
  return 0;
}
