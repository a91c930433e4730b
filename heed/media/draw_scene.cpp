#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/media/scene.h"

namespace heed {
namespace {

struct Point {
  double x = 0;
  double y = 0;
};

/// n points on a circle, the first at the top, clockwise; every second one at `inner`.
std::vector<Point> ring(int count, double outer, double inner) {
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count;
    const double radius = i % 2 == 0 ? outer : inner;
    points.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return points;
}

/// The corners of a shape of radius 1 that is not turned; a circle has none. The shapes look about
/// equally large.
std::vector<Point> corners_of(ShapeKind kind) {
  constexpr double arm = 0.32;  // half the width of a cross's arm
  switch (kind) {
    case ShapeKind::square:
      return {{-0.86, -0.86}, {0.86, -0.86}, {0.86, 0.86}, {-0.86, 0.86}};
    case ShapeKind::triangle:
      return ring(3, 1.2, 1.2);
    case ShapeKind::diamond:
      return {{0, -1.2}, {0.75, 0}, {0, 1.2}, {-0.75, 0}};
    case ShapeKind::cross:
      return {{-arm, -1.1}, {arm, -1.1}, {arm, -arm}, {1.1, -arm}, {1.1, arm},   {arm, arm},
              {arm, 1.1},   {-arm, 1.1}, {-arm, arm}, {-1.1, arm}, {-1.1, -arm}, {-arm, -arm}};
    case ShapeKind::star:
      return ring(10, 1.2, 0.52);
    default:
      return {};
  }
}

/// The corners where they lie in a picture of this side.
std::vector<Point> placed_corners(const SceneShape& shape, double side) {
  const double scale = side / 1000;
  const double angle = shape.degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle) * shape.radius * scale;
  const double sine = std::sin(angle) * shape.radius * scale;
  std::vector<Point> corners = corners_of(shape.kind);
  for (Point& corner : corners) {
    corner = {shape.x * scale + corner.x * cosine - corner.y * sine,
              shape.y * scale + corner.x * sine + corner.y * cosine};
  }
  return corners;
}

double squared(double x, double y) { return x * x + y * y; }

/// From one point to another, with what the distances of many pixels share.
class Edge {
 public:
  Edge(const Point& from, const Point& to)
      : from_(from), to_(to), along_{to.x - from.x, to.y - from.y} {
    const double length = squared(along_.x, along_.y);
    inverse_ = length == 0 ? 0 : 1 / length;
    slope_ = along_.y == 0 ? 0 : along_.x / along_.y;
  }
  double squared_distance(const Point& p) const {
    const Point way{p.x - from_.x, p.y - from_.y};
    const double share = std::clamp((way.x * along_.x + way.y * along_.y) * inverse_, 0.0, 1.0);
    return squared(way.x - share * along_.x, way.y - share * along_.y);
  }
  /// Whether a ray from p to the right crosses it.
  bool is_right_of(const Point& p) const {
    return (from_.y > p.y) != (to_.y > p.y) && p.x < from_.x + (p.y - from_.y) * slope_;
  }

 private:
  Point from_;
  Point to_;
  Point along_;
  double inverse_ = 0;  // of the squared length
  double slope_ = 0;
};

std::vector<Edge> edges_of(const std::vector<Point>& corners) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    edges.emplace_back(corners[i], corners[(i + 1) % corners.size()]);
  }
  return edges;
}

/// Below 0 inside.
double signed_distance(const Point& p, const std::vector<Edge>& edges) {
  double nearest = std::numeric_limits<double>::max();
  bool is_inside = false;
  for (const Edge& edge : edges) {
    nearest = std::min(nearest, edge.squared_distance(p));
    is_inside = is_inside != edge.is_right_of(p);
  }
  return is_inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

/// Where something lies in a picture, in pixels.
struct Extent {
  Point least;
  Point most;
};

/// Lays the colour over the pixels whose centres have a signed distance below ½.
template <class Distance>
void paint(Picture& picture, const Paint& colour, const Extent& extent, const Distance& distance) {
  const auto within = [](double at, std::int32_t side) {
    return static_cast<std::int32_t>(std::clamp(at, 0.0, static_cast<double>(side)));
  };
  for (std::int32_t y = within(extent.least.y - 1, picture.height);
       y < within(extent.most.y + 2, picture.height); ++y) {
    for (std::int32_t x = within(extent.least.x - 1, picture.width);
         x < within(extent.most.x + 2, picture.width); ++x) {
      const double cover = std::clamp(0.5 - distance(Point{x + 0.5, y + 0.5}), 0.0, 1.0);
      if (cover == 0) {
        continue;
      }
      const std::size_t at = 3 * (static_cast<std::size_t>(y) * picture.width + x);
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint8_t& value = picture.pixels[at + c];
        value = static_cast<std::uint8_t>(std::lround(value + cover * (colour[c] - value)));
      }
    }
  }
}

Extent extent_of(const SceneShape& shape, const std::vector<Point>& corners, double side) {
  const double scale = side / 1000;
  const Point centre{shape.x * scale, shape.y * scale};
  if (corners.empty()) {
    const double radius = shape.radius * scale;
    return {{centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}};
  }
  Extent extent{corners.front(), corners.front()};
  for (const Point& corner : corners) {
    extent.least = {std::min(extent.least.x, corner.x), std::min(extent.least.y, corner.y)};
    extent.most = {std::max(extent.most.x, corner.x), std::max(extent.most.y, corner.y)};
  }
  return extent;
}

void paint_shape(Picture& picture, const SceneShape& shape) {
  const std::vector<Point> corners = placed_corners(shape, picture.width);
  const Extent extent = extent_of(shape, corners, picture.width);
  const double scale = picture.width / 1000.0;
  const Point centre{shape.x * scale, shape.y * scale};
  const double radius = shape.radius * scale;
  if (corners.empty()) {
    paint(picture, shape.colour, extent, [&](const Point& p) {
      return std::sqrt(squared(p.x - centre.x, p.y - centre.y)) - radius;
    });
  } else {
    const std::vector<Edge> edges = edges_of(corners);
    paint(picture, shape.colour, extent, [&](const Point& p) { return signed_distance(p, edges); });
  }
}

void paint_line(Picture& picture, const SceneLine& line) {
  const double scale = picture.width / 1000.0;
  const Point from{line.x0 * scale, line.y0 * scale};
  const Point to{line.x1 * scale, line.y1 * scale};
  const Edge edge(from, to);
  const double half_width = line.width * scale / 2;
  const Extent extent{{std::min(from.x, to.x) - half_width, std::min(from.y, to.y) - half_width},
                      {std::max(from.x, to.x) + half_width, std::max(from.y, to.y) + half_width}};
  paint(picture, line.colour, extent,
        [&](const Point& p) { return std::sqrt(edge.squared_distance(p)) - half_width; });
}

/// Every value of a pixel gets the sum of two random bytes, less their mean, in units of their
/// deviation (104 = 255/√6): whole numbers, the same on every machine.
void paint_ground(Picture& picture, const Scene& scene) {
  const Draws draws(RandomKey{static_cast<std::uint64_t>(scene.seed), 0, stream_named("ground")});
  Philox::Block words{};
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    if (i % 4 == 0) {
      words = draws.block(i / 4);
    }
    const auto bits = static_cast<std::int32_t>(words[i % 4] & 0xFFFF);
    const std::int32_t sum = (bits & 0xFF) + (bits >> 8) - 255;
    picture.pixels[i] = static_cast<std::uint8_t>(
        std::clamp(scene.ground[i % 3] + sum * scene.noise / 104, 0, 255));
  }
}

}  // namespace

SceneBox box_of(const SceneShape& shape) {
  const Extent extent = extent_of(shape, placed_corners(shape, 1000), 1000);
  const auto within = [](double at) { return std::clamp(at, 0.0, 1000.0); };
  return {within(extent.least.x), within(extent.least.y), within(extent.most.x),
          within(extent.most.y)};
}

Picture draw_scene(const Scene& scene, std::int32_t side) {
  require(side > 0 && side <= 8192, "scene: saw a side of {} pixels, needs 1 to 8192", side);
  Picture picture = plain_picture(side, side, 0);
  paint_ground(picture, scene);
  for (const SceneLine& line : scene.lines) {
    paint_line(picture, line);
  }
  for (const SceneShape& shape : scene.shapes) {
    paint_shape(picture, shape);
  }
  return picture;
}

}  // namespace heed
