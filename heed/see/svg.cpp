#include "heed/see/svg.h"

#include <cmath>
#include <string_view>

#include "heed/base/error.h"
#include "heed/see/ramp.h"
#include "heed/see/sheet.h"

namespace heed {
namespace {

std::string shown(std::string_view text) { return svg_text(short_label(text)); }

std::string hex(Rgb rgb) {
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.red, rgb.green, rgb.blue);
}

std::string labels(const HeatMap& map, const Sheet& sheet, double cell) {
  std::string out = svg_title(map.title, 2 * gap_px, gap_px + font_px);
  const double edge = sheet.left - gap_px;
  out +=
      fmt::format("<text dy=\".35em\" class=\"axis end\" x=\"{:.1f}\" y=\"{:.1f}\">{} →</text>\n",
                  edge, sheet.top - 1.9 * font_px, shown(map.column_axis));
  out +=
      fmt::format("<text dy=\".35em\" class=\"axis end\" x=\"{:.1f}\" y=\"{:.1f}\">{} ↓</text>\n",
                  edge, sheet.top - 0.8 * font_px, shown(map.row_axis));
  const std::vector<bool> stands = upright_labels(map.columns, cell);
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    if (stands[c]) {
      out +=
          fmt::format("<text dy=\".35em\" class=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                      sheet.left + cell * (static_cast<double>(c) + 0.5),
                      sheet.top - gap_px - axis_px / 4, shown(map.columns[c]));
      continue;
    }
    out += fmt::format(
        "<text dy=\".35em\" transform=\"translate({:.1f} {:.1f}) rotate(-45)\">{}</text>\n",
        sheet.left + cell * (static_cast<double>(c) + 0.5), sheet.top - gap_px,
        shown(map.columns[c]));
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    out += fmt::format("<text dy=\".35em\" class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       edge, sheet.top + cell * (static_cast<double>(r) + 0.5), shown(map.rows[r]));
  }
  return out;
}

struct Cell {
  double x;
  double y;
  double size;
  double darkest;
  bool shows_value;
};

std::string draw_cell(const HeatMap& map, std::size_t r, std::size_t c, const Cell& cell) {
  const double weight = map.at(r, c);
  const double dark = darkness(weight, cell.darkest);
  std::string out = fmt::format(
      "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:g}\" "
      "fill=\"{}\"><title>{} {}, {} "
      "{}: {:.3f}</title></rect>\n",
      cell.x + 0.5, cell.y + 0.5, cell.size - 1, cell.size - 1,
      std::isnan(dark) ? "#e0483e" : hex(ramp(dark)), svg_text(drawn_label(map.row_axis)),
      svg_text(drawn_label(map.rows[r])), svg_text(drawn_label(map.column_axis)),
      svg_text(drawn_label(map.columns[c])), weight);
  if (cell.shows_value && weight >= 0.005) {
    out += fmt::format(
        "<text dy=\".35em\" class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{:.0f}</text>\n",
        cell.x + cell.size / 2, cell.y + cell.size / 2,
        needs_light_ink(dark) ? " style=\"fill: #ffffff\"" : "", weight * 100);
  }
  return out;
}

}  // namespace

std::string svg_text(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += byte;
    }
  }
  return out;
}

std::string svg_head(double width, double height, std::string_view name) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img" aria-label="{2}">
<style>
text {{ font: {3:g}px "Helvetica Neue", Helvetica, Arial, "Noto Sans", "Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "WenQuanYi Zen Hei", "Noto Color Emoji", sans-serif; fill: #1b2733; }}
.axis, .legend {{ font-size: {4:g}px; fill: #6b7a89; }}
.value {{ font-size: {5:g}px; text-anchor: middle; pointer-events: none; }}
.end {{ text-anchor: end; }}
.middle {{ text-anchor: middle; }}
rect.cell {{ rx: 2px; }}
rect.cell:hover {{ stroke: #e8760c; stroke-width: 2px; }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
)",
      std::ceil(width), std::ceil(height), name.empty() ? "attention" : svg_text(drawn_label(name)),
      font_px, axis_px, value_px);
}

std::string svg_title(std::string_view title, double x, double y) {
  return title.empty() ? ""
                       : fmt::format(
                             "<text dy=\".35em\" style=\"font-weight: 600; font-size: {:g}px\" "
                             "x=\"{:g}\" y=\"{:g}\">{}</text>\n",
                             title_px, x, y, svg_text(drawn_label(title)));
}

std::string svg_map(const HeatMap& map, const SvgStyle& style) {
  const Sheet sheet = lay_out(map, style.cell_px);
  std::string out = labels(map, sheet, style.cell_px);
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const Cell cell{sheet.left + style.cell_px * static_cast<double>(c),
                      sheet.top + style.cell_px * static_cast<double>(r), style.cell_px,
                      style.darkest, style.shows_values};
      out += draw_cell(map, r, c, cell);
    }
  }
  return out;
}

std::string svg_legend(double left, double middle, double darkest) {
  constexpr int steps = 10;
  std::string stops;
  for (int step = 0; step <= steps; ++step) {
    const double part = static_cast<double>(step) / steps;
    stops += fmt::format("<stop offset=\"{:g}\" stop-color=\"{}\"/>", part, hex(ramp(part)));
  }
  const double edge = left - gap_px;
  return fmt::format(
      "<defs><linearGradient id=\"ramp\">{}</linearGradient></defs>\n"
      "<text dy=\".35em\" class=\"legend end\" x=\"{:.1f}\" y=\"{:.1f}\">weight 0</text>\n"
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"8\" fill=\"url(#ramp)\"/>\n"
      "<text dy=\".35em\" class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\">{:.2f}</text>\n",
      stops, edge, middle, left, middle - 4, legend_px, left + legend_px + gap_px, middle, darkest);
}

std::string draw_svg(const HeatMap& map, const SvgStyle& style) {
  check(map);
  require(style.cell_px >= 4 && style.cell_px <= 1000,
          "draw_svg: saw cells of {} pixels, needs 4 to 1000; choose such a size", style.cell_px);
  SvgStyle scaled = style;
  scaled.darkest = style.darkest > 0 ? style.darkest : peak(map);
  const Sheet sheet = lay_out(map, style.cell_px);
  return svg_head(sheet.width, sheet.height, map.title) + svg_map(map, scaled) +
         svg_legend(sheet.left, sheet.bottom + 2 * font_px, scaled.darkest) + "</svg>\n";
}

}  // namespace heed
