#include "heed/see/panels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/see/sheet.h"

namespace heed {
namespace {

void check_panels(const Panels& panels) {
  require(!panels.maps.empty() && panels.columns > 0,
          "panels: saw {} maps in rows of {}, needs at least one of each", panels.maps.size(),
          panels.columns);
  std::for_each(panels.maps.begin(), panels.maps.end(), [](const HeatMap& map) { check(map); });
}

/// The largest weight of all maps.
double shared_peak(const Panels& panels) {
  double most = 0;
  for (const HeatMap& map : panels.maps) {
    most = std::max(most, peak(map));
  }
  return most;
}

/// The row and the column of a map on the sheet.
struct PanelCell {
  std::size_t row = 0;
  std::size_t column = 0;
};

std::vector<PanelCell> cells_of(const Panels& panels) {
  std::vector<PanelCell> cells;
  PanelCell next;
  for (std::size_t i = 0; i < panels.maps.size(); ++i) {
    const bool begins = std::binary_search(panels.begin_row.begin(), panels.begin_row.end(), i);
    if (next.column == panels.columns || (begins && next.column > 0)) {
      next = {next.row + 1, 0};
    }
    cells.push_back(next);
    ++next.column;
  }
  return cells;
}

double sum_of_first(std::size_t count, const std::vector<double>& sizes) {
  return std::accumulate(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

/// Where the maps lie on their sheet: every column is as wide as its widest map, every row as high as its highest.
struct PanelPlaces {
  std::vector<double> x;  // of each map
  std::vector<double> y;
  double legend_left = 0;
  double legend_middle = 0;
  double width = 0;
  double height = 0;

  PanelPlaces(const Panels& panels, double cell_px) {
    const std::vector<PanelCell> cells = cells_of(panels);
    std::vector<double> widths(std::min(panels.columns, cells.size()), 0);
    std::vector<double> heights(cells.back().row + 1, 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Sheet sheet = lay_out(panels.maps[i], cell_px);
      double& wide = widths[cells[i].column];
      double& high = heights[cells[i].row];
      wide = std::max(wide, sheet.width);
      high = std::max(high, sheet.bottom + gap_px);
      legend_left = i == 0 ? sheet.left : legend_left;
    }
    const double head = panels.title.empty() ? 0 : 2 * font_px;
    for (const PanelCell& cell : cells) {
      x.push_back(sum_of_first(cell.column, widths));
      y.push_back(head + sum_of_first(cell.row, heights));
    }
    const double reach = sum_of_first(widths.size(), widths);
    height = head + sum_of_first(heights.size(), heights);
    width = std::max({reach, legend_left + legend_px + 8 * column_px,
                      3 * gap_px + title_width_px(panels.title)});
    legend_middle = height + font_px;
    height += 3 * font_px;
  }
};

}  // namespace

std::string draw_svg(const Panels& panels, const SvgStyle& style) {
  check_panels(panels);
  SvgStyle scaled = style;
  scaled.darkest = style.darkest > 0 ? style.darkest : shared_peak(panels);
  const PanelPlaces places(panels, style.cell_px);
  std::string out = svg_head(places.width, places.height, panels.title) +
                    svg_title(panels.title, 2 * gap_px, gap_px + font_px);
  for (std::size_t i = 0; i < panels.maps.size(); ++i) {
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", places.x[i],
                       places.y[i], svg_map(panels.maps[i], scaled));
  }
  return out + svg_legend(places.legend_left, places.legend_middle, scaled.darkest) + "</svg>\n";
}

std::string draw_png(const Panels& panels, const PngStyle& style) {
  check_panels(panels);
  check_style(style);
  PngStyle scaled = style;
  scaled.darkest = style.darkest > 0 ? style.darkest : shared_peak(panels);
  const PanelPlaces places(panels, style.cell_px);
  Canvas canvas(static_cast<int>(std::ceil(places.width * style.scale)),
                static_cast<int>(std::ceil(places.height * style.scale)));
  paint_title(canvas, scaled, panels.title, 2 * gap_px, gap_px + font_px);
  for (std::size_t i = 0; i < panels.maps.size(); ++i) {
    paint_map(canvas, panels.maps[i], scaled, places.x[i], places.y[i]);
  }
  paint_legend(canvas, scaled, places.legend_left, places.legend_middle);
  return canvas.png();
}

std::string draw_terminal(const Panels& panels, const TerminalStyle& style) {
  check_panels(panels);
  TerminalStyle scaled = style;
  scaled.darkest = style.darkest > 0 ? style.darkest : shared_peak(panels);
  std::string out = panels.title.empty() ? "" : drawn_label(panels.title) + "\n";
  for (std::size_t i = 0; i < panels.maps.size(); ++i) {
    out += (i > 0 ? "\n" : "") + draw_terminal(panels.maps[i], scaled);
  }
  return out;
}

}  // namespace heed
