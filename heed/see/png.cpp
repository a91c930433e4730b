#include "heed/see/png.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/see/canvas.h"
#include "heed/see/ramp.h"
#include "heed/see/sheet.h"

namespace heed {
namespace {

constexpr Rgb ink = {27, 39, 51};
constexpr Rgb pale_ink = {107, 122, 137};
constexpr Rgb light_ink = {255, 255, 255};
constexpr Rgb alarm = {224, 72, 62};  // for a weight that is not a number

class Painter {
 public:
  Painter(const HeatMap& map, const PngStyle& style)
      : map_(map),
        style_(style),
        sheet_(lay_out(map, style.cell_px)),
        darkest_(style.darkest > 0 ? style.darkest : peak(map)),
        canvas_(static_cast<int>(std::ceil(sheet_.width * style.scale)),
                static_cast<int>(std::ceil(sheet_.height * style.scale))) {}

  std::string png() {
    labels();
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column) {
        cell(row, column);
      }
    }
    legend();
    return canvas_.png();
  }

 private:
  void text(double x, double y, const std::string& line, Rgb colour) {
    canvas_.write(x * style_.scale, y * style_.scale, line, colour, style_.scale);
  }
  void text_before(double x, double y, const std::string& line, Rgb colour) {
    text(x - text_width(line), y, line, colour);
  }
  void box(double x, double y, double width, double height, Rgb colour) {
    const double s = style_.scale;
    canvas_.fill(x * s, y * s, width * s, height * s, colour);
  }
  double middle(std::size_t place) const {
    return style_.cell_px * (static_cast<double>(place) + 0.5);
  }

  void labels() {
    if (!map_.title.empty()) {
      text(2 * gap_px, gap_px + font_px, drawn_label(map_.title), ink);
    }
    const double edge = sheet_.left - gap_px;
    text_before(edge, sheet_.top - 1.9 * font_px, short_label(map_.column_axis) + " →", pale_ink);
    text_before(edge, sheet_.top - 0.8 * font_px, short_label(map_.row_axis) + " ↓", pale_ink);
    for (std::size_t c = 0; c < map_.columns.size(); ++c) {
      canvas_.write_rising((sheet_.left + middle(c)) * style_.scale,
                           (sheet_.top - gap_px) * style_.scale, short_label(map_.columns[c]), ink,
                           style_.scale);
    }
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      text_before(edge, sheet_.top + middle(r), short_label(map_.rows[r]), ink);
    }
  }

  void cell(std::size_t row, std::size_t column) {
    const double weight = map_.at(row, column);
    const double dark = darkness(weight, darkest_);
    const double x = sheet_.left + style_.cell_px * static_cast<double>(column);
    const double y = sheet_.top + style_.cell_px * static_cast<double>(row);
    box(x + 0.5, y + 0.5, style_.cell_px - 1, style_.cell_px - 1,
        std::isnan(dark) ? alarm : ramp(dark));
    if (style_.shows_values && weight >= 0.005) {
      const std::string value = fmt::format("{:.0f}", weight * 100);
      text(x + (style_.cell_px - text_width(value)) / 2, y + style_.cell_px / 2, value,
           needs_light_ink(dark) ? light_ink : ink);
    }
  }

  void legend() {
    const double y = sheet_.bottom + 2 * font_px;
    text_before(sheet_.left - gap_px, y, "weight 0", pale_ink);
    for (int step = 0; step < static_cast<int>(legend_px); ++step) {
      box(sheet_.left + step, y - 4, 1, 8, ramp(step / (legend_px - 1)));
    }
    text(sheet_.left + legend_px + gap_px, y, fmt::format("{:.2f}", darkest_), pale_ink);
  }

  const HeatMap& map_;
  PngStyle style_;
  Sheet sheet_;
  double darkest_;
  Canvas canvas_;
};

}  // namespace

std::string draw_png(const HeatMap& map, const PngStyle& style) {
  check(map);
  require(style.cell_px >= 4 && style.cell_px <= 1000 && style.scale >= 0.5 && style.scale <= 16,
          "draw_png: saw cells of {} pixels at scale {}, needs 4 to 1000 at 0.5 to 16; choose such",
          style.cell_px, style.scale);
  return Painter(map, style).png();
}

}  // namespace heed
