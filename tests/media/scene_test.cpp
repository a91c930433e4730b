#include "heed/media/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed::scene_test {
namespace {

using ::testing::HasSubstr;

TEST(Scene, IsTextAndBack) {
  const std::string text =
      "shapes: ground 8a7f66 noise 20 7; line 9a9a9a -10 200 640 300 12; grey star 5b5b5b 300 420 "
      "90 350; red circle d02020 700 310 120 0";
  const Scene scene = read_scene(text);
  EXPECT_EQ(scene.ground, (Paint{0x8A, 0x7F, 0x66}));
  EXPECT_EQ(scene.noise, 20);
  EXPECT_EQ(scene.seed, 7);
  ASSERT_EQ(scene.lines.size(), 1U);
  EXPECT_EQ(scene.lines[0].x0, -10);
  EXPECT_EQ(scene.lines[0].width, 12);
  ASSERT_EQ(scene.shapes.size(), 2U);
  EXPECT_EQ(scene.shapes[0].name, "grey");
  EXPECT_EQ(scene.shapes[0].kind, ShapeKind::star);
  EXPECT_EQ(scene.shapes[0].degrees, 350);
  EXPECT_EQ(scene.shapes[1].kind, ShapeKind::circle);
  EXPECT_EQ(scene.shapes[1].radius, 120);
  EXPECT_EQ(write_scene(scene), text);
  EXPECT_TRUE(is_scene(text));
  EXPECT_FALSE(is_scene("photo.jpg"));
}

TEST(Scene, RefusesOtherTexts) {
  const auto refusal = [](const std::string& text) {
    try {
      read_scene(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("photo.jpg"), HasSubstr("begins with shapes:"));
  EXPECT_THAT(refusal("shapes: red whale ff0000 1 1 1 1"), HasSubstr("where one of: circle, sq"));
  EXPECT_THAT(refusal("shapes: pink star ff0000 1 1 1 1"), HasSubstr("where one of: red, orange"));
  EXPECT_THAT(refusal("shapes: red star ff000 1 1 1 1"), HasSubstr("where a colour"));
  EXPECT_THAT(refusal("shapes: red star ff0000 1 1 0 1"), HasSubstr("number from 1 to 1000"));
  EXPECT_THAT(refusal("shapes: red star ff0000 1 1 5 360"), HasSubstr("number from 0 to 359"));
  EXPECT_THAT(refusal("shapes: red star ff0000 1 1 5 3x"), HasSubstr("there is \"3x\" where"));
  EXPECT_THAT(refusal("shapes: red star ff0000 1 1 5"), HasSubstr("there is \"\" where"));
  EXPECT_THAT(refusal("shapes: red star ff0000 1 1 5 6 7"), HasSubstr("where nothing more"));
  EXPECT_THAT(refusal("shapes: ground ff0000 nose 1 1"), HasSubstr("where noise"));
  EXPECT_THAT(refusal("shapes: line ff0000 1 1 1 99999 1"), HasSubstr("from -1000 to 2000"));
  std::string many = "shapes: ground 000000 noise 0 0";
  for (int i = 0; i < 300; ++i) {
    many += "; line ff0000 1 1 1 1 1";
  }
  EXPECT_THAT(refusal(many), HasSubstr("at most 256 parts"));
}

/// How many pixels' worth of the colour a shape covers on black ground.
double area_of(const std::string& shape, std::int32_t side) {
  const Picture picture = draw_scene(read_scene("shapes: " + shape), side);
  double sum = 0;
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) {
    sum += picture.pixels[i] / 255.0;
  }
  return sum;
}

TEST(Scene, AntialiasingKeepsAreas) {
  // Radius 20.5 pixels at a centre between pixels: areas by the formulas of the shapes.
  const double r = 20.5;
  const auto drawn = [](const std::string& kind, int degrees) {
    return area_of("red " + kind + " ff0000 503 498 205 " + std::to_string(degrees), 100);
  };
  for (const int degrees : {0, 17, 100}) {
    EXPECT_NEAR(drawn("circle", degrees), std::numbers::pi * r * r, 3);
    EXPECT_NEAR(drawn("square", degrees), std::pow(2 * 0.86 * r, 2), 3);
    EXPECT_NEAR(drawn("triangle", degrees), 3 * std::sqrt(3) / 4 * std::pow(1.2 * r, 2), 4);
    EXPECT_NEAR(drawn("diamond", degrees), 2 * 1.2 * 0.75 * r * r, 3);
    EXPECT_NEAR(drawn("cross", degrees), (4 * 1.1 * 0.32 * 2 - std::pow(0.64, 2)) * r * r, 4);
    // Ten triangles between a point, a notch and the middle, 36° apart.
    const double star = 10 * 0.5 * 1.2 * 0.52 * std::sin(std::numbers::pi / 5) * r * r;
    EXPECT_NEAR(drawn("star", degrees), star, 5);
  }
  // A line with round ends.
  EXPECT_NEAR(area_of("line ff0000 200 200 700 200 60", 100), 50 * 6 + std::numbers::pi * 9, 1);
}

TEST(Scene, BoxesHoldTheirShapes) {
  for (const std::string_view kind : shape_names()) {
    for (const int degrees : {0, 30, 200}) {
      const std::string text =
          "shapes: red " + std::string(kind) + " ff0000 430 560 150 " + std::to_string(degrees);
      const Scene scene = read_scene(text);
      const SceneBox box = box_of(scene.shapes[0]);
      const Picture picture = draw_scene(scene, 200);
      double left = 1000;
      double right = 0;
      double top = 1000;
      double bottom = 0;
      for (std::int32_t y = 0; y < 200; ++y) {
        for (std::int32_t x = 0; x < 200; ++x) {
          if (picture.pixels[static_cast<std::size_t>(3 * (200 * y + x))] > 20) {
            left = std::min(left, 5.0 * x);
            right = std::max(right, 5.0 * (x + 1));
            top = std::min(top, 5.0 * y);
            bottom = std::max(bottom, 5.0 * (y + 1));
          }
        }
      }
      EXPECT_NEAR(box.left, left, 12) << text;
      EXPECT_NEAR(box.right, right, 12) << text;
      EXPECT_NEAR(box.top, top, 12) << text;
      EXPECT_NEAR(box.bottom, bottom, 12) << text;
    }
  }
  const SceneBox cut = box_of(read_scene("shapes: red circle ff0000 20 990 100 0").shapes[0]);
  EXPECT_EQ(cut.left, 0);
  EXPECT_EQ(cut.bottom, 1000);
}

TEST(Scene, LaterShapesLieAbove) {
  const Picture picture = draw_scene(
      read_scene("shapes: ground 101010 noise 0 0; red square ff0000 500 500 300 0; blue circle "
                 "0000ff 500 500 100 0"),
      50);
  const auto at = [&](int x, int y) {
    return &picture.pixels[static_cast<std::size_t>(3 * (50 * y + x))];
  };
  EXPECT_EQ(at(25, 25)[2], 255);
  EXPECT_EQ(at(25, 25)[0], 0);
  EXPECT_EQ(at(16, 16)[0], 255);
  EXPECT_EQ(at(2, 2)[1], 16);
}

TEST(Scene, TheGroundIsNoisyByItsSeed) {
  const auto ground = [](int noise, int seed) {
    return draw_scene(read_scene("shapes: ground 808080 noise " + std::to_string(noise) + " " +
                                 std::to_string(seed)),
                      64)
        .pixels;
  };
  EXPECT_EQ(ground(20, 1), ground(20, 1));
  EXPECT_NE(ground(20, 1), ground(20, 2));
  double mean = 0;
  double squares = 0;
  const auto pixels = ground(20, 1);
  for (const std::uint8_t value : pixels) {
    mean += value / static_cast<double>(pixels.size());
    squares += std::pow(value - 128, 2) / static_cast<double>(pixels.size());
  }
  EXPECT_NEAR(mean, 128, 0.7);
  EXPECT_NEAR(std::sqrt(squares), 20, 0.7);
  EXPECT_EQ(ground(0, 1), std::vector<std::uint8_t>(std::size_t{64} * 64 * 3, 128));
}

}  // namespace
}  // namespace heed::scene_test
