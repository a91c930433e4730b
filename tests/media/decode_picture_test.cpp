#include "heed/media/decode_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/media/orientation.h"
#include "tests/media/made_pictures.h"

namespace heed::decode_picture_test {
namespace {

using test::bytes_of;
using test::jpeg_file;
using test::largest_difference;
using test::png_file;
using test::sloping;
using ::testing::HasSubstr;

std::string refusal_of(const std::string& file, const DecodeOptions& options = {.name = "a.jpg"}) {
  try {
    decode_picture(bytes_of(file), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "";
}

TEST(DecodePicture, JpegComesBackNearlyAndPngExactly) {
  const Picture picture = sloping(40, 30);
  EXPECT_LE(largest_difference(decode_picture(bytes_of(jpeg_file(picture))), picture), 4);
  for (const bool is_progressive : {false, true}) {
    for (const bool is_subsampled : {false, true}) {
      const std::string file =
          jpeg_file(picture, {.is_progressive = is_progressive, .is_subsampled = is_subsampled});
      EXPECT_LE(largest_difference(decode_picture(bytes_of(file)), picture), 10);
    }
  }
  EXPECT_EQ(largest_difference(decode_picture(bytes_of(png_file(picture))), picture), 0);
  EXPECT_EQ(largest_difference(decode_picture(bytes_of(png_file(picture, {.is_interlaced = true}))),
                               picture),
            0);
}

TEST(DecodePicture, InksBecomeColours) {
  // Cyan, magenta, yellow and black as how little ink there is, as Adobe stores them:
  // (200, 100, 50) with a black of 204 is (160, 80, 40).
  std::vector<std::uint8_t> ink;
  for (int i = 0; i < 16 * 16; ++i) {
    ink.insert(ink.end(), {200, 100, 50, 204});
  }
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const std::string file =
        jpeg_file(ink, 16, 4, {.quality = 100, .in = JCS_CMYK, .stored = stored});
    const Picture picture = decode_picture(bytes_of(file));
    ASSERT_EQ(picture.cells(), 256U);
    EXPECT_NEAR(picture.pixels[0], 160, 2);
    EXPECT_NEAR(picture.pixels[1], 80, 2);
    EXPECT_NEAR(picture.pixels[2], 40, 2);
  }
  // Without Adobe's marker the same values say how much ink there is: 55 · 51 / 255 = 11.
  std::string plain = jpeg_file(ink, 16, 4, {.quality = 100, .in = JCS_CMYK, .stored = JCS_CMYK});
  const std::size_t marker = plain.find("\xFF\xEE");
  ASSERT_NE(marker, std::string::npos);
  plain.erase(marker, 16);  // a marker, its length of 14 and "Adobe" with its numbers
  const Picture picture = decode_picture(bytes_of(plain));
  EXPECT_NEAR(picture.pixels[0], 11, 2);
  EXPECT_NEAR(picture.pixels[1], 31, 2);
  EXPECT_NEAR(picture.pixels[2], 41, 2);
}

TEST(DecodePicture, SixteenBitsAreRounded) {
  // 0x1280 is 4736 / 257 = 18.4, 0x12FF is 18.9.
  const std::string row("\x12\x80\x12\xFF\xFF\xFF", 6);
  const Picture colour = decode_picture(bytes_of(png_file({row}, 1, {.bits = 16})));
  EXPECT_EQ(colour.pixels, (std::vector<std::uint8_t>{18, 19, 255}));
  const Picture grey =
      decode_picture(bytes_of(png_file({row}, 3, {.colours = PNG_COLOR_TYPE_GRAY, .bits = 16})));
  EXPECT_EQ(grey.pixels, (std::vector<std::uint8_t>{18, 18, 18, 19, 19, 19, 255, 255, 255}));
}

TEST(DecodePicture, TransparencyShowsWhite) {
  const std::string row("\x00\x64\xC8\x00\x00\x64\xC8\xFF\x00\x64\xC8\x33", 12);
  const Picture picture =
      decode_picture(bytes_of(png_file({row}, 3, {.colours = PNG_COLOR_TYPE_RGB_ALPHA})));
  EXPECT_EQ(picture.pixels, (std::vector<std::uint8_t>{255, 255, 255, 0, 100, 200, 204, 224, 244}));
}

TEST(DecodePicture, TurnsTheRightWayUp) {
  // 0 1 2
  // 3 4 5
  Picture stored{3, 2, {}};
  for (std::uint8_t i = 0; i < 6; ++i) {
    stored.pixels.insert(stored.pixels.end(), {i, i, i});
  }
  const std::vector<std::vector<int>> expected = {
      {0, 1, 2, 3, 4, 5}, {2, 1, 0, 5, 4, 3}, {5, 4, 3, 2, 1, 0}, {3, 4, 5, 0, 1, 2},
      {0, 3, 1, 4, 2, 5}, {3, 0, 4, 1, 5, 2}, {5, 2, 4, 1, 3, 0}, {2, 5, 1, 4, 0, 3}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string file = png_file(stored, {.orientation = orientation});
    const Picture turned = decode_picture(bytes_of(file));
    EXPECT_EQ(turned.width, orientation < 5 ? 3 : 2);
    std::vector<int> found;
    for (std::size_t i = 0; i < turned.pixels.size(); i += 3) {
      found.push_back(turned.pixels[i]);
    }
    EXPECT_EQ(found, expected[static_cast<std::size_t>(orientation - 1)]) << orientation;
  }
  const Picture tall = decode_picture(bytes_of(jpeg_file(sloping(40, 30), {.orientation = 6})));
  EXPECT_EQ(tall.width, 30);
  EXPECT_EQ(tall.height, 40);
}

TEST(DecodePicture, ADamagedExifBlockTurnsNothing) {
  const std::string block = test::exif_block(6);
  EXPECT_EQ(exif_orientation(bytes_of(block)), 6);
  EXPECT_EQ(exif_orientation(bytes_of(test::exif_block(3, true))), 3);
  EXPECT_EQ(exif_orientation({}), 1);
  for (std::size_t size = 0; size < block.size() - 6; ++size) {
    EXPECT_EQ(exif_orientation(bytes_of(block.substr(0, size))), 1) << size;
  }
  std::string far = block;
  far[4] = '\x7F';  // the directory lies beyond the end
  EXPECT_EQ(exif_orientation(bytes_of(far)), 1);
  EXPECT_EQ(exif_orientation(bytes_of(test::exif_block(9))), 1);
}

TEST(DecodePicture, JpegShrinksWhereLessIsEnough) {
  const Picture picture = sloping(96, 64);
  const std::string file = jpeg_file(picture);
  const auto width = [&file](std::int32_t enough) {
    return decode_picture(bytes_of(file), {.enough = enough}).width;
  };
  EXPECT_EQ(width(0), 96);
  EXPECT_EQ(width(33), 96);
  EXPECT_EQ(width(32), 48);
  EXPECT_EQ(width(17), 48);
  EXPECT_EQ(width(16), 24);
  EXPECT_EQ(width(8), 12);
  EXPECT_EQ(width(1), 12) << "an eighth is the least there is";
  // A slope stays the same slope.
  const Picture quarter = decode_picture(bytes_of(file), {.enough = 16});
  EXPECT_EQ(quarter.height, 16);
  for (std::size_t x = 0; x < 24; ++x) {
    EXPECT_NEAR(quarter.pixels[3 * x], 255 * (4 * static_cast<int>(x) + 1.5) / 96, 5);
  }
}

TEST(DecodePicture, RefusesWhatIsTooLargeBeforeDecoding) {
  const DecodeOptions few{.name = "big.png", .most_pixels = 1199};
  EXPECT_THAT(refusal_of(png_file(sloping(40, 30)), few),
              HasSubstr("big.png: a picture of 40 × 30 pixels is not possible; it may have 1 to "
                        "1199 pixels; make it smaller"));
  EXPECT_THAT(refusal_of(jpeg_file(sloping(40, 30)), few), HasSubstr("40 × 30"));
  EXPECT_EQ(refusal_of(png_file(sloping(40, 30)), {.most_pixels = 1200}), "");
  // A header alone that speaks of 4.2 · 10⁹ pixels.
  std::string bomb = jpeg_file(sloping(16, 16));
  const std::size_t frame = bomb.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  bomb.replace(frame + 5, 4, "\xFE\xFE\xFE\xFE");
  EXPECT_THAT(
      refusal_of(bomb),
      HasSubstr("a.jpg: a picture of 65278 × 65278 pixels is not possible; it may have 1 to"));
}

TEST(DecodePicture, HeadersSayTheSides) {
  const PictureHeader jpeg = read_picture_header(bytes_of(jpeg_file(sloping(40, 30))));
  EXPECT_EQ(jpeg.format, PictureFormat::jpeg);
  EXPECT_EQ(jpeg.width, 40);
  EXPECT_EQ(jpeg.height, 30);
  const PictureHeader png = read_picture_header(bytes_of(png_file(sloping(7, 5))));
  EXPECT_EQ(png.format, PictureFormat::png);
  EXPECT_EQ(png.width, 7);
  EXPECT_EQ(png.height, 5);
}

TEST(DecodePicture, WhatIsCutOffIsDamaged) {
  for (const bool is_progressive : {false, true}) {
    const std::string file = jpeg_file(sloping(40, 30), {.is_progressive = is_progressive});
    for (std::size_t size = 3; size < file.size() - 2; size += 7) {
      EXPECT_THAT(refusal_of(file.substr(0, size)),
                  HasSubstr("a.jpg: the JPEG picture is damaged ("))
          << size;
    }
  }
  for (const bool is_interlaced : {false, true}) {
    const std::string file = png_file(sloping(40, 30), {.is_interlaced = is_interlaced});
    for (std::size_t size = 8; size < file.size(); size += 3) {
      EXPECT_THAT(refusal_of(file.substr(0, size)),
                  HasSubstr("a.jpg: the PNG picture is damaged ("))
          << size;
    }
  }
}

TEST(DecodePicture, AWrongChecksumIsDamage) {
  std::string file = png_file(sloping(40, 30));
  file[file.find("IDAT") + 20] ^= 1;
  EXPECT_THAT(refusal_of(file), HasSubstr("PNG picture is damaged"));
}

TEST(DecodePicture, OtherFilesAreNamed) {
  EXPECT_THAT(refusal_of(""),
              HasSubstr("a.jpg: this is an empty file; give a JPEG or PNG picture"));
  EXPECT_THAT(refusal_of("GIF89a"), HasSubstr("this is a GIF picture"));
  EXPECT_THAT(refusal_of("RIFF1234WEBPVP8 "), HasSubstr("this is a WebP picture"));
  EXPECT_THAT(refusal_of(std::string("II*\0", 4)), HasSubstr("this is a TIFF picture"));
  EXPECT_THAT(refusal_of("hello"), HasSubstr("this is a file of another kind"));
  EXPECT_THAT(refusal_of("RIFF1234WAVEfmt "), HasSubstr("which heed transcribe hears"));
  EXPECT_THAT(refusal_of("OggS"), HasSubstr("which heed transcribe hears"));
}

TEST(DecodePicture, ManyScansAreRefused) {
  // A progressive file whose last scan occurs two hundred times, which the format allows.
  const std::string file = jpeg_file(sloping(16, 16), {.has_whole_scans = true});
  EXPECT_EQ(refusal_of(file), "");
  std::size_t last = 0;
  for (std::size_t at = file.find("\xFF\xDA"); at != std::string::npos;
       at = file.find("\xFF\xDA", at + 1)) {
    last = at;
  }
  ASSERT_GT(last, 0U);
  const std::string scan = file.substr(last, file.size() - 2 - last);
  const auto with_scans = [&](int count) {
    std::string many = file.substr(0, last);
    for (int i = 0; i < count; ++i) {
      many += scan;
    }
    return many + file.substr(file.size() - 2);
  };
  EXPECT_EQ(refusal_of(with_scans(50)), "");
  EXPECT_THAT(refusal_of(with_scans(200)), HasSubstr("more than 100 scans"));
}

}  // namespace
}  // namespace heed::decode_picture_test
