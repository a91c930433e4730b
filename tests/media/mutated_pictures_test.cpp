// A hundred thousand damaged files through both decoders: each gives a picture or an Error, and
// under the sanitizers of the preset `dev` nothing else happens either. It takes seconds even there.
#include <gtest/gtest.h>

#include <iterator>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "tests/media/made_pictures.h"

namespace heed::mutated_pictures_test {
namespace {

/// Small files of every form that the decoders know.
std::vector<std::string> seeds() {
  const Picture picture = test::sloping(23, 17);
  std::vector<std::uint8_t> ink;
  std::vector<std::string> rows_of_bytes(17);
  for (std::size_t i = 0; i < picture.cells(); ++i) {
    ink.insert(ink.end(), {picture.pixels[3 * i], picture.pixels[3 * i + 1], 90, 200});
    rows_of_bytes[i / 23] += static_cast<char>(i % 4);
  }
  std::vector<std::string> sixteen;  // rows of 16-bit RGBA
  for (std::size_t y = 0; y < 17; ++y) {
    sixteen.emplace_back(std::size_t{8} * 23, static_cast<char>(y * 11));
  }
  std::vector<std::uint8_t> grey(picture.pixels.begin(),
                                 picture.pixels.begin() + static_cast<long>(picture.cells()));
  return {
      test::jpeg_file(picture),
      test::jpeg_file(picture, {.is_progressive = true, .is_subsampled = true, .orientation = 6}),
      test::jpeg_file(picture, {.is_subsampled = true, .restart_rows = 1}),
      test::jpeg_file(picture, {.stored = JCS_RGB, .has_whole_scans = true}),
      test::jpeg_file(grey, 23, 1, {.in = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE}),
      test::jpeg_file(ink, 23, 4, {.in = JCS_CMYK, .stored = JCS_YCCK}),
      test::jpeg_file(ink, 23, 4, {.in = JCS_CMYK, .stored = JCS_CMYK}),
      test::png_file(picture),
      test::png_file(picture, {.is_interlaced = true, .orientation = 8}),
      test::png_file(sixteen, 23, {.colours = PNG_COLOR_TYPE_RGB_ALPHA, .bits = 16}),
      test::png_file(rows_of_bytes, 23,
                     {.colours = PNG_COLOR_TYPE_PALETTE,
                      .is_interlaced = true,
                      .palette = {{1, 2, 3}, {40, 50, 60}, {70, 80, 90}, {200, 210, 220}}}),
      test::png_file(rows_of_bytes, 23, {.colours = PNG_COLOR_TYPE_GRAY, .bits = 2}),
  };
}

/// PNG has a checksum behind every chunk, which would stop nearly all mutations at the door: this
/// makes the checksums right again.
void mend_checksums(std::string& file) {
  const auto number = [&file](std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(file[at + i]);
    }
    return value;
  };
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::uint64_t length = number(at);
    if (length > file.size() - at - 12) {
      return;
    }
    std::uint32_t crc = 0xFFFFFFFF;
    for (std::size_t i = at + 4; i < at + 8 + length; ++i) {
      crc ^= static_cast<unsigned char>(file[i]);
      for (int bit = 0; bit < 8; ++bit) {
        crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
      }
    }
    crc = ~crc;
    for (std::size_t i = 0; i < 4; ++i) {
      file[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xFF);
    }
    at += 12 + length;
  }
}

std::string mutated(const std::vector<std::string>& files, std::uint64_t number) {
  const Draws draws(RandomKey{.seed = 1, .step = number, .stream = stream_named("mutation")});
  std::string file = files[draws.below(0, files.size())];
  const std::size_t changes = 1 + draws.below(1, 4);
  for (std::uint64_t change = 0; change < changes; ++change) {
    const std::uint64_t draw = 10 * (change + 1);
    const std::size_t at = draws.below(draw + 1, file.size());
    const std::size_t other = draws.below(draw + 2, file.size());
    switch (draws.below(draw, 7)) {
      case 0:
        file.resize(std::max<std::size_t>(at, 4));
        break;
      case 1:
        std::swap(file[at], file[other]);
        break;
      case 2:
        file.erase(at, 1 + draws.below(draw + 3, 8));
        break;
      case 3:
        file.insert(at, file.substr(other, 1 + draws.below(draw + 3, 40)));
        break;
      case 4:
        file[at] = static_cast<char>(draws.below(draw + 3, 256));
        break;
      default:
        file[at] = static_cast<char>(file[at] ^ (1 << draws.below(draw + 3, 8)));
    }
    if (file.empty()) {
      file = "x";
    }
  }
  if (file.starts_with("\x89PNG") && draws.below(2, 4) != 0) {
    mend_checksums(file);
  }
  return file;
}

TEST(MutatedPictures, GiveAPictureOrAnError) {
  const std::vector<std::string> files = seeds();
  constexpr std::uint64_t count = 100'000;
  std::uint64_t decoded = 0;
  std::uint64_t refused = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    const std::string file = mutated(files, number);
    try {
      const Picture picture = decode_picture(
          test::bytes_of(file), {.most_pixels = 1'000'000, .enough = number % 2 == 0 ? 0 : 4});
      ASSERT_GT(picture.width, 0);
      ASSERT_GT(picture.height, 0);
      ASSERT_EQ(picture.pixels.size(), 3 * picture.cells());
      ++decoded;
    } catch (const Error& error) {
      ASSERT_EQ(error.fault(), Fault::file) << error.what();
      ++refused;
    }
  }
  RecordProperty("decoded", std::to_string(decoded));
  RecordProperty("refused", std::to_string(refused));
  EXPECT_GT(decoded, count / 20) << "most mutations are stopped at the door";
  EXPECT_GT(refused, count / 5);
}

}  // namespace
}  // namespace heed::mutated_pictures_test
