#include "heed/media/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/base/error.h"
#include "tests/media/made_pictures.h"

namespace heed::resize_test {
namespace {

using test::sloping;

constexpr Interpolation both[] = {Interpolation::bilinear, Interpolation::bicubic};

/// One row of grey pixels.
Picture grey_row(const std::vector<std::uint8_t>& values) {
  Picture picture{static_cast<std::int32_t>(values.size()), 1, {}};
  for (const std::uint8_t value : values) {
    picture.pixels.insert(picture.pixels.end(), 3, value);
  }
  return picture;
}

std::vector<int> greys_of(const Picture& picture) {
  std::vector<int> greys;
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) {
    greys.push_back(picture.pixels[i]);
  }
  return greys;
}

TEST(Resize, TheSameSideChangesNothing) {
  const Picture picture = sloping(13, 9);
  for (const Interpolation interpolation : both) {
    EXPECT_EQ(resized(picture, whole_of(picture), {13, 9, interpolation}).pixels, picture.pixels);
  }
}

TEST(Resize, OneColourStaysThatColour) {
  const Picture picture = plain_picture(31, 17, 201);
  for (const Interpolation interpolation : both) {
    for (const auto& [width, height] : {std::pair(5, 4), {64, 40}, {31, 5}, {1, 1}}) {
      const Picture out = resized(picture, whole_of(picture), {width, height, interpolation});
      EXPECT_EQ(out.pixels, plain_picture(width, height, 201).pixels);
    }
  }
}

TEST(Resize, WorkedOutByHand) {
  // Four pixels to two, bilinear: the triangle reaches two pixels to each side of 1 and of 3, with
  // weights 3/4 3/4 1/4 (and 1/4 beyond the edge, which is not there), which are divided by their
  // sum: (3·0 + 3·70 + 1·140) / 7 = 50, (1·70 + 3·140 + 3·210) / 7 = 160.
  const Picture four = grey_row({0, 70, 140, 210});
  EXPECT_EQ(greys_of(resized(four, whole_of(four), {2, 1, Interpolation::bilinear})),
            (std::vector<int>{50, 160}));
  // Two pixels to four, bilinear: c = ¼, ¾, 1¼, 1¾ between the centres ½ and 1½.
  const Picture two = grey_row({0, 200});
  EXPECT_EQ(greys_of(resized(two, whole_of(two), {4, 1, Interpolation::bilinear})),
            (std::vector<int>{0, 50, 150, 200}));
  // One bright pixel of five to ten, bicubic: t = ¼ and ¾ next to it, 1¼ and 1¾ farther away. The
  // values are f(t) = 0.8671875, 0.2265625, −0.0703125, −0.0234375, which sum to 1 over all taps.
  const Picture spike = grey_row({100, 100, 200, 100, 100});
  EXPECT_EQ(greys_of(resized(spike, whole_of(spike), {10, 1, Interpolation::bicubic})),
            (std::vector<int>{100, 98, 93, 123, 187, 187, 123, 93, 98, 100}));
}

TEST(Resize, APartKnowsNothingOfItsSurroundings) {
  Picture picture = plain_picture(20, 20, 0);
  for (std::int32_t y = 5; y < 12; ++y) {
    for (std::size_t i = 0; i < std::size_t{3} * 6; ++i) {
      picture.pixels[std::size_t{3} * (20 * static_cast<std::size_t>(y) + 4) + i] = 255;
    }
  }
  for (const Interpolation interpolation : both) {
    const Picture out = resized(picture, {4, 5, 6, 7}, {9, 3, interpolation});
    EXPECT_EQ(out.pixels, plain_picture(9, 3, 255).pixels);
  }
}

TEST(Resize, NeedsPixels) {
  const Picture picture = sloping(8, 8);
  EXPECT_THROW(resized(picture, {0, 0, 9, 8}, {4, 4}), Error);
  EXPECT_THROW(resized(picture, {1, 0, 8, 8}, {4, 4}), Error);
  EXPECT_THROW(resized(picture, {0, 0, 0, 8}, {4, 4}), Error);
  EXPECT_THROW(resized(picture, {-1, 0, 4, 4}, {4, 4}), Error);
  EXPECT_THROW(resized(picture, whole_of(picture), {0, 4}), Error);
}

TEST(Crop, TheMiddle) {
  EXPECT_EQ(centre_square(plain_picture(10, 4, 0)), (PixelBox{3, 0, 4, 4}));
  EXPECT_EQ(centre_square(plain_picture(4, 9, 0)), (PixelBox{0, 2, 4, 4}));
  const Picture part = cropped(grey_row({1, 2, 3, 4, 5}), {1, 0, 3, 1});
  EXPECT_EQ(greys_of(part), (std::vector<int>{2, 3, 4}));
}

TEST(Crop, AtRandomEveryPartIsPossible) {
  const PixelBox box{3, 2, 10, 8};
  std::set<std::int32_t> widths;
  std::set<std::int32_t> lefts;
  for (std::uint64_t example = 0; example < 500; ++example) {
    const Draws draws(RandomKey{1, 0, example});
    const PixelBox part = random_part(box, 0.5, draws, 0);
    EXPECT_EQ(part, random_part(box, 0.5, draws, 0));
    EXPECT_GE(part.left, 3);
    EXPECT_GE(part.top, 2);
    EXPECT_LE(part.left + part.width, 13);
    EXPECT_LE(part.top + part.height, 10);
    EXPECT_NEAR(part.width / 10.0, part.height / 8.0, 0.12) << "both sides have the same share";
    widths.insert(part.width);
    lefts.insert(part.left);
  }
  EXPECT_EQ(widths, (std::set<std::int32_t>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(lefts, (std::set<std::int32_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(random_part(box, 1, Draws(RandomKey{1, 0, 7}), 0), box);
}

TEST(Crop, MirrorsLeftAndRight) {
  for (const std::int32_t width : {1, 2, 5, 6}) {
    Picture picture = sloping(width, 3);
    const Picture before = picture;
    mirror(picture);
    for (std::int32_t y = 0; y < 3; ++y) {
      for (std::int32_t x = 0; x < width; ++x) {
        for (std::int32_t c = 0; c < 3; ++c) {
          EXPECT_EQ(picture.pixels[static_cast<std::size_t>(3 * (y * width + x) + c)],
                    before.pixels[static_cast<std::size_t>(3 * (y * width + width - 1 - x) + c)]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::resize_test
