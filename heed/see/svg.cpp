#include "heed/see/svg.h"

#include <cmath>
#include <limits>
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
  out += "<g class=\"middle\">\n";
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    if (stands[c]) {
      out += fmt::format("<text dy=\".35em\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         sheet.left + cell * (static_cast<double>(c) + 0.5),
                         sheet.top - gap_px - axis_px / 4, shown(map.columns[c]));
      continue;
    }
    out += fmt::format(
        "<text dy=\".35em\" class=\"start\" transform=\"translate({:.1f} {:.1f}) "
        "rotate(-45)\">{}</text>\n",
        sheet.left + cell * (static_cast<double>(c) + 0.5), sheet.top - gap_px,
        shown(map.columns[c]));
  }
  out += "</g>\n<g class=\"end\">\n";
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    out += fmt::format("<text dy=\".35em\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", edge,
                       sheet.top + cell * (static_cast<double>(r) + 0.5), shown(map.rows[r]));
  }
  return out + "</g>\n";
}

/// Where the cells are and how they are drawn. Their places count from the first cell's corner.
struct Cells {
  const HeatMap& map;
  double size;
  double darkest;

  double x(std::size_t c) const { return size * static_cast<double>(c); }
  double y(std::size_t r) const { return size * static_cast<double>(r); }
  /// Weights below this look like none.
  double faint() const { return darkest / 100; }
  bool is_faint(double weight) const { return weight == 0 || (weight > 0 && weight < faint()); }
};

/// The cells with weights from `least` on and below `most` are one path with one title. Most cells of most maps are
/// faint, and this is a fifth of the size.
std::string draw_faint(const Cells& cells, double least, double most) {
  std::string squares;
  for (std::size_t r = 0; r < cells.map.rows.size(); ++r) {
    for (std::size_t c = 0; c < cells.map.columns.size(); ++c) {
      if (cells.map.at(r, c) >= least && cells.map.at(r, c) < most) {
        squares += fmt::format("M{:g} {:g}h{:g}v{:g}h-{:g}z", cells.x(c), cells.y(r),
                               cells.size - 1, cells.size - 1, cells.size - 1);
      }
    }
  }
  return squares.empty()
             ? ""
             : fmt::format("<path fill=\"{}\" d=\"{}\"><title>{}</title></path>\n", hex(ramp(0)),
                           squares, least > 0 ? fmt::format("below {:.2g}", most) : "0");
}

std::string draw_cell(const Cells& cells, std::size_t r, std::size_t c) {
  const double weight = cells.map.at(r, c);
  const double dark = darkness(weight, cells.darkest);
  return fmt::format(
      "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\">"
      "<title>{} {}, {} {}: {:.3f}</title></rect>\n",
      cells.x(c), cells.y(r), cells.size - 1, cells.size - 1,
      std::isnan(dark) ? "#e0483e" : hex(ramp(dark)), svg_text(drawn_label(cells.map.row_axis)),
      svg_text(drawn_label(cells.map.rows[r])), svg_text(drawn_label(cells.map.column_axis)),
      svg_text(drawn_label(cells.map.columns[c])), weight);
}

/// The weight in per cent; nothing for one that rounds to 0.
std::string draw_value(const Cells& cells, std::size_t r, std::size_t c) {
  const double weight = cells.map.at(r, c);
  const bool is_light = needs_light_ink(darkness(weight, cells.darkest));
  return weight < 0.005 ? ""
                        : fmt::format(
                              "<text dy=\".35em\" class=\"value\" x=\"{:g}\" y=\"{:g}\"{}>"
                              "{:.0f}</text>\n",
                              cells.x(c) + (cells.size - 1) / 2, cells.y(r) + (cells.size - 1) / 2,
                              is_light ? " style=\"fill: #ffffff\"" : "", weight * 100);
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
      R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img" aria-label="{2}">
<style>
text {{ font: {3:g}px "Helvetica Neue", Helvetica, Arial, "Noto Sans", "Noto Sans CJK SC", "Noto Sans SC", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "WenQuanYi Zen Hei", "Noto Color Emoji", sans-serif; fill: #1b2733; }}
.axis, .legend {{ font-size: {4:g}px; fill: #6b7a89; }}
.value {{ font-size: {5:g}px; text-anchor: middle; pointer-events: none; }}
.start {{ text-anchor: start; }}
.end {{ text-anchor: end; }}
.middle {{ text-anchor: middle; }}
.cells rect {{ rx: 2px; }}
.cells rect:hover {{ stroke: #e8760c; stroke-width: 2px; }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
)",
      std::ceil(width), std::ceil(height), name.empty() ? "attention" : svg_text(drawn_label(name)),
      font_px, axis_px, value_px);
}

std::string svg_file(const SvgPart& part, std::string_view name) {
  return svg_head(part.width, part.height, name) + part.body + "</svg>\n";
}

std::string svg_title(std::string_view title, double x, double y) {
  return title.empty() ? ""
                       : fmt::format(
                             "<text dy=\".35em\" style=\"font-weight: 600; font-size: {:g}px\" "
                             "x=\"{:g}\" y=\"{:g}\">{}</text>\n",
                             title_px, x, y, svg_text(drawn_label(title)));
}

std::string svg_map(const HeatMap& map, const SvgStyle& style) {
  constexpr double least_positive = std::numeric_limits<double>::denorm_min();
  const Sheet sheet = lay_out(map, style.cell_px);
  const Cells cells{map, style.cell_px, style.darkest};
  std::string out = labels(map, sheet, style.cell_px);
  out += fmt::format("<g class=\"cells\" transform=\"translate({:.1f} {:.1f})\">\n",
                     sheet.left + 0.5, sheet.top + 0.5);
  out += draw_faint(cells, 0, least_positive) + draw_faint(cells, least_positive, cells.faint());
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      out += cells.is_faint(map.at(r, c)) ? "" : draw_cell(cells, r, c);
      out += style.shows_values ? draw_value(cells, r, c) : "";
    }
  }
  return out + "</g>\n";
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
