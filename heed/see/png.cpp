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

/// Writes and fills on a canvas in pixels of the sheet.
class Brush {
 public:
  Brush(Canvas& canvas, double scale, double x = 0, double y = 0)
      : canvas_(canvas), scale_(scale), x_(x), y_(y) {}

  void text(double x, double y, const std::string& line, Lettering how) const {
    how.px *= scale_;
    canvas_.write((x_ + x) * scale_, (y_ + y) * scale_, line, how);
  }
  void box(double x, double y, double width, double height, Rgb colour) const {
    canvas_.fill((x_ + x) * scale_, (y_ + y) * scale_, width * scale_, height * scale_, colour);
  }

 private:
  Canvas& canvas_;
  double scale_;
  double x_;
  double y_;
};

class Painter {
 public:
  Painter(const HeatMap& map, const PngStyle& style, const Brush& brush)
      : map_(map), style_(style), sheet_(lay_out(map, style.cell_px)), brush_(brush) {}

  void paint() const {
    labels();
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column) {
        cell(row, column);
      }
    }
  }

 private:
  double middle(std::size_t place) const {
    return style_.cell_px * (static_cast<double>(place) + 0.5);
  }

  void labels() const {
    if (!map_.title.empty()) {
      brush_.text(2 * gap_px, gap_px + font_px, drawn_label(map_.title),
                  {.ink = ink, .px = title_px, .is_bold = true});
    }
    const double edge = sheet_.left - gap_px;
    const Lettering axis{.ink = pale_ink, .px = axis_px, .anchor = Anchor::end};
    brush_.text(edge, sheet_.top - 1.9 * font_px, short_label(map_.column_axis) + " →", axis);
    brush_.text(edge, sheet_.top - 0.8 * font_px, short_label(map_.row_axis) + " ↓", axis);
    const std::vector<bool> stands = upright_labels(map_.columns, style_.cell_px);
    for (std::size_t c = 0; c < map_.columns.size(); ++c) {
      const double x = sheet_.left + middle(c);
      if (stands[c]) {
        brush_.text(x, sheet_.top - gap_px - axis_px / 4, short_label(map_.columns[c]),
                    {.ink = ink, .px = font_px, .anchor = Anchor::middle});
      } else {
        brush_.text(x, sheet_.top - gap_px, short_label(map_.columns[c]),
                    {.ink = ink, .px = font_px, .rises = true});
      }
    }
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      brush_.text(edge, sheet_.top + middle(r), short_label(map_.rows[r]),
                  {.ink = ink, .px = font_px, .anchor = Anchor::end});
    }
  }

  void cell(std::size_t row, std::size_t column) const {
    const double weight = map_.at(row, column);
    const double dark = darkness(weight, style_.darkest);
    const double x = sheet_.left + style_.cell_px * static_cast<double>(column);
    const double y = sheet_.top + style_.cell_px * static_cast<double>(row);
    brush_.box(x + 0.5, y + 0.5, style_.cell_px - 1, style_.cell_px - 1,
               std::isnan(dark) ? alarm : ramp(dark));
    if (style_.shows_values && weight >= 0.005) {
      brush_.text(x + style_.cell_px / 2, y + style_.cell_px / 2,
                  fmt::format("{:.0f}", weight * 100),
                  {.ink = needs_light_ink(dark) ? light_ink : ink,
                   .px = value_px,
                   .anchor = Anchor::middle});
    }
  }

  const HeatMap& map_;
  PngStyle style_;
  Sheet sheet_;
  Brush brush_;
};

}  // namespace

void paint_map(Canvas& canvas, const HeatMap& map, const PngStyle& style, double x, double y) {
  Painter(map, style, Brush(canvas, style.scale, x, y)).paint();
}

void paint_legend(Canvas& canvas, const PngStyle& style, double left, double middle) {
  const Brush brush(canvas, style.scale);
  brush.text(left - gap_px, middle, "weight 0",
             {.ink = pale_ink, .px = axis_px, .anchor = Anchor::end});
  for (int step = 0; step < static_cast<int>(legend_px); ++step) {
    brush.box(left + step, middle - 4, 1, 8, ramp(step / (legend_px - 1)));
  }
  brush.text(left + legend_px + gap_px, middle, fmt::format("{:.2f}", style.darkest),
             {.ink = pale_ink, .px = axis_px});
}

void paint_title(Canvas& canvas, const PngStyle& style, std::string_view title, double x,
                 double y) {
  if (!title.empty()) {
    Brush(canvas, style.scale)
        .text(x, y, drawn_label(title), {.ink = ink, .px = title_px, .is_bold = true});
  }
}

void check_style(const PngStyle& style) {
  require(style.cell_px >= 4 && style.cell_px <= 1000 && style.scale >= 0.5 && style.scale <= 16,
          "draw_png: saw cells of {} pixels at scale {}, needs 4 to 1000 at 0.5 to 16; choose such",
          style.cell_px, style.scale);
}

std::string draw_png(const HeatMap& map, const PngStyle& style) {
  check(map);
  check_style(style);
  PngStyle scaled = style;
  scaled.darkest = style.darkest > 0 ? style.darkest : peak(map);
  const Sheet sheet = lay_out(map, style.cell_px);
  Canvas canvas(static_cast<int>(std::ceil(sheet.width * style.scale)),
                static_cast<int>(std::ceil(sheet.height * style.scale)));
  paint_map(canvas, map, scaled, 0, 0);
  paint_legend(canvas, scaled, sheet.left, sheet.bottom + 2 * font_px);
  return canvas.png();
}

}  // namespace heed
