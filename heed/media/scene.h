// A scene that can be drawn: coloured shapes, grey ones and lines, one over the other on noisy
// ground. It is written as one line of text, so that a table can hold it and a reader can see what
// is where:
//
//   shapes: ground 8a7f66 noise 20 7; line 9a9a9a 100 200 640 300 12; red circle d02020 700 310 120 0
//
//   ground COLOUR noise DEVIATION SEED      the deviation of each value of a pixel, 0 to 100
//   line COLOUR X Y X Y WIDTH
//   NAME SHAPE COLOUR X Y RADIUS DEGREES    turned clockwise
//
// Places and lengths are thousandths of the picture's side, from the left and from the top, so that
// a scene can be drawn at any size. Edges are antialiased: a pixel takes the colour by ½ minus the
// signed distance of its centre from the edge, in pixels, between 0 and 1.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/media/picture.h"

namespace heed {

using Paint = std::array<std::uint8_t, 3>;  // red, green, blue

enum class ShapeKind { circle, square, triangle, diamond, cross, star };

struct SceneLine {
  Paint colour{};
  std::int32_t x0 = 0;
  std::int32_t y0 = 0;
  std::int32_t x1 = 0;
  std::int32_t y1 = 0;
  std::int32_t width = 1;
};

struct SceneShape {
  std::string name;  // of its colour, one of colour_names()
  ShapeKind kind = ShapeKind::circle;
  Paint colour{};
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t radius = 1;
  std::int32_t degrees = 0;
};

struct Scene {
  Paint ground{};
  std::int32_t noise = 0;
  std::int64_t seed = 0;
  std::vector<SceneLine> lines;    // below the shapes
  std::vector<SceneShape> shapes;  // later ones lie above earlier ones
};

/// The edges of a shape, in thousandths of the side.
struct SceneBox {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// In the order of ShapeKind.
std::span<const std::string_view> shape_names();
/// Of the coloured shapes, and "grey" at the end for those that nobody speaks of.
std::span<const std::string_view> colour_names();

/// Whether a text is a scene.
bool is_scene(std::string_view text);
std::string write_scene(const Scene& scene);
/// Fault::file where the text is no scene.
Scene read_scene(std::string_view text);

SceneBox box_of(const SceneShape& shape);

/// A picture with `side` pixels a side.
Picture draw_scene(const Scene& scene, std::int32_t side);

}  // namespace heed
