#include "heed/see/stack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/media/decode_picture.h"

namespace heed::test::stack_test {
namespace {

using ::testing::HasSubstr;

Canvas filled(int width, int height, std::uint8_t grey) {
  Canvas canvas(width, height);
  canvas.fill(0, 0, width, height, {grey, grey, grey});
  return canvas;
}

TEST(Stack, DrawingsLieOneBelowTheOther) {
  std::vector<Canvas> parts;
  parts.push_back(filled(20, 10, 50));
  parts.push_back(filled(30, 5, 90));
  const std::string png = stacked_png("", parts);
  const Picture all =
      decode_picture({reinterpret_cast<const std::uint8_t*>(png.data()), png.size()});
  ASSERT_EQ(all.width, 30);
  ASSERT_EQ(all.height, 15);
  const auto red_at = [&](int x, int y) {
    return static_cast<int>(all.pixels[static_cast<size_t>(3 * (y * 30 + x))]);
  };
  EXPECT_EQ(red_at(19, 9), 50);
  EXPECT_EQ(red_at(20, 9), 255) << "white beside the narrower one";
  EXPECT_EQ(red_at(0, 10), 90);
  EXPECT_EQ(red_at(29, 14), 90);
}

TEST(Stack, AnSvgMovesEachDownByThoseBefore) {
  const std::string svg = stacked_svg("", {{20, 10, "<a/>"}, {30, 5, "<b/>"}});
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 30 15\""));
  EXPECT_THAT(svg, HasSubstr("<g transform=\"translate(0 0.0)\">\n<a/></g>"));
  EXPECT_THAT(svg, HasSubstr("<g transform=\"translate(0 10.0)\">\n<b/></g>"));
}

TEST(Stack, ATitleHasRoomAboveAll) {
  EXPECT_THAT(stacked_svg("who sees", {{200, 10, "<a/>"}}),
              ::testing::AllOf(HasSubstr(">who sees</text>"), HasSubstr("translate(0 28.0)")));
  std::vector<Canvas> parts;
  parts.push_back(filled(200, 10, 50));
  EXPECT_NE(stacked_png("who sees", parts), stacked_png("", parts));
  EXPECT_THROW(stacked_svg("", {}), Error);
  EXPECT_THROW(stacked_png("", {}), Error);
}

}  // namespace
}  // namespace heed::test::stack_test
