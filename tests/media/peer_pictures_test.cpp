// What PIL makes of the same pictures: tests/fixtures/pictures.json, by tools/fixtures/pictures.py.
#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/json_reader.h"
#include "heed/media/resize.h"
#include "tests/media/made_pictures.h"

namespace heed::peer_pictures_test {
namespace {

int digit_of(char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; }

Picture picture_of(const JsonReader& record) {
  Picture picture{static_cast<std::int32_t>(record.at("width").integer()),
                  static_cast<std::int32_t>(record.at("height").integer()),
                  {}};
  const std::string& text = record.at("pixels").text();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    picture.pixels.push_back(
        static_cast<std::uint8_t>(16 * digit_of(text[i]) + digit_of(text[i + 1])));
  }
  return picture;
}

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text.substr(0, text.find('='))) {
    bits = bits << 6 | static_cast<unsigned>(digits.find(letter));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return bytes;
}

const Json& fixture() {
  static const Json all =
      parse_json(read_file(HEED_SOURCE_DIR "/tests/fixtures/pictures.json"), "pictures.json");
  return all;
}

TEST(PeerPictures, ResizeAsPilDoes) {
  const JsonReader all(fixture(), "pictures.json");
  const Picture drawn = picture_of(all.at("drawn"));
  for (const JsonReader& one : all.at("resized").items()) {
    const auto number = [&one](std::size_t i) {
      return static_cast<std::int32_t>(one.at("part").at(i).integer());
    };
    const Picture expected = picture_of(one.at("picture"));
    const bool is_cubic = one.at("interpolation").text() == "bicubic";
    const Picture found = resized(drawn, {number(0), number(1), number(2), number(3)},
                                  {expected.width, expected.height,
                                   is_cubic ? Interpolation::bicubic : Interpolation::bilinear});
    EXPECT_EQ(test::largest_difference(found, expected), 0)
        << one.at("interpolation").text() << ' ' << expected.width << " × " << expected.height;
  }
  EXPECT_EQ(all.at("resized").size(), 28U);
}

TEST(PeerPictures, DecodeAsPilDoes) {
  const JsonReader all(fixture(), "pictures.json");
  for (const JsonReader& one : all.at("decoded").items()) {
    const std::string file = from_base64(one.at("file").text());
    const Picture found = decode_picture(test::bytes_of(file));
    EXPECT_LE(test::largest_difference(found, picture_of(one.at("picture"))), 1)
        << one.at("name").text();
  }
  EXPECT_EQ(all.at("decoded").size(), 24U);
}

}  // namespace
}  // namespace heed::peer_pictures_test
