#include "heed/see/curves.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "heed/base/error.h"
#include "heed/see/heat_map.h"
#include "heed/see/svg.h"

namespace heed {
namespace {

constexpr double panel_width = 440;
constexpr double panel_height = 240;
constexpr double panel_margin_left = 64;
constexpr double panel_margin_right = 16;
constexpr double panel_margin_top = 34;
constexpr double panel_margin_bottom = 30;
constexpr double name_line = 18;
constexpr size_t panels_in_a_row = 2;

/// Colours that can be told apart by people who do not see red or green (Okabe and Ito).
constexpr std::array<std::string_view, most_curves> curve_colours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

std::string_view colour_of(size_t curve) { return curve_colours[curve % curve_colours.size()]; }

struct NumberRange {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void widen(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  /// Never empty, so that it can be divided by.
  void settle() {
    if (!(least <= most)) {
      least = 0;
      most = 1;
    } else if (least == most) {
      const double half = least == 0 ? 1 : std::abs(least) / 2;
      least -= half;
      most += half;
    }
  }
  double share(double value) const { return (value - least) / (most - least); }
};

/// Where a panel lies, and which numbers it shows.
struct PanelAxes {
  double left;
  double top;
  NumberRange steps;
  NumberRange values;

  double x(double step) const {
    return left + panel_margin_left +
           steps.share(step) * (panel_width - panel_margin_left - panel_margin_right);
  }
  double y(double value) const {
    return top + panel_height - panel_margin_bottom -
           values.share(value) * (panel_height - panel_margin_top - panel_margin_bottom);
  }
};

PanelAxes panel_axes(const CurvePanel& panel, double left, double top) {
  PanelAxes axes{left, top, {}, {}};
  for (const Curve& curve : panel.curves) {
    for (const auto& [step, value] : curve.points) {
      axes.steps.widen(step);
      axes.values.widen(value);
    }
  }
  axes.steps.settle();
  axes.values.settle();
  return axes;
}

std::string marks_of_axes(const PanelAxes& axes) {
  std::string out;
  const double right = axes.left + panel_width - panel_margin_right;
  const double bottom = axes.top + panel_height - panel_margin_bottom;
  for (const double mark : round_marks(axes.values.least, axes.values.most, 4)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"mark end\" dy=\".35em\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n",
        axes.left + panel_margin_left, right, axes.y(mark), axes.y(mark),
        axes.left + panel_margin_left - 6, axes.y(mark), mark);
  }
  for (const double mark : round_marks(axes.steps.least, axes.steps.most, 5)) {
    out += fmt::format("<text class=\"mark middle\" x=\"{:.1f}\" y=\"{:.1f}\">{:.6g}</text>\n",
                       axes.x(mark), bottom + 16, mark);
  }
  return out + fmt::format(
                   "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" "
                   "y2=\"{2:.1f}\"/>\n",
                   axes.left + panel_margin_left, right, bottom);
}

std::string drawn_curve(const Curve& curve, const CurvePanel& panel, const PanelAxes& axes,
                        std::string_view colour) {
  std::string path;
  std::string dots;
  const bool has_dots = curve.points.size() <= 60;
  for (const auto& [step, value] : curve.points) {
    path += fmt::format("{:.1f},{:.1f} ", axes.x(step), axes.y(value));
    if (has_dots) {
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"><title>{}{} {:.6g}: "
          "{:.6g}</title></circle>\n",
          axes.x(step), axes.y(value), colour,
          curve.name.empty() ? "" : svg_text(drawn_label(curve.name)) + ", ",
          svg_text(drawn_label(panel.over)), step, value);
    }
  }
  return fmt::format("<polyline points=\"{}\" stroke=\"{}\"/>\n", path, colour) + dots;
}

std::string draw_panel(const CurvePanel& panel, double left, double top) {
  const PanelAxes axes = panel_axes(panel, left, top);
  std::string out =
      fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                  left + panel_margin_left, top + 20, svg_text(drawn_label(panel.title)));
  out += marks_of_axes(axes);
  if (panel.over != "step") {
    out += fmt::format("<text class=\"mark end\" x=\"{:.1f}\" y=\"{:.1f}\">{} →</text>\n",
                       left + panel_width - panel_margin_right, top + panel_height - 2,
                       svg_text(drawn_label(panel.over)));
  }
  for (size_t c = 0; c < panel.curves.size(); ++c) {
    out += drawn_curve(panel.curves[c], panel, axes, colour_of(c));
  }
  return out;
}

/// The names of the first panel's curves, which all panels share.
std::string draw_names(const CurvePanel& panel, double top) {
  std::string out;
  for (size_t c = 0; c < panel.curves.size(); ++c) {
    const double y = top + name_line * (static_cast<double>(c) + 0.5);
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" "
        "stroke=\"{3}\" stroke-width=\"3\"/>"
        "<text class=\"mark\" dy=\".35em\" x=\"{4:.1f}\" y=\"{2:.1f}\">{5}</text>\n",
        panel_margin_left, panel_margin_left + 24, y, colour_of(c), panel_margin_left + 32,
        svg_text(drawn_label(panel.curves[c].name)));
  }
  return out;
}

}  // namespace

std::vector<double> round_marks(double least, double most, int count) {
  require(least < most && count > 0, "round_marks: saw {} to {}, needs a range; order them", least,
          most);
  const double rough = (most - least) / count;
  const double ten = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough / ten < 1.5   ? ten
                      : rough / ten < 3.5 ? 2 * ten
                      : rough / ten < 7.5 ? 5 * ten
                                          : 10 * ten;
  std::vector<double> marks;
  const double first = std::ceil(least / step - 1e-9) + 0.0;  // + 0.0: never −0, which is drawn so
  for (double k = first; k * step <= most + 1e-9 * step && marks.size() < 100; ++k) {
    marks.push_back(k * step);
  }
  return marks;
}

std::string draw_curves(const std::vector<CurvePanel>& panels) {
  const size_t wide = std::min(panels_in_a_row, std::max<size_t>(panels.size(), 1));
  const size_t rows = (panels.size() + panels_in_a_row - 1) / panels_in_a_row;
  const bool has_legend = !panels.empty() && panels.front().curves.size() > 1;
  const double bottom = panel_height * static_cast<double>(rows);
  const double legend =
      has_legend ? name_line * static_cast<double>(panels.front().curves.size()) + 12 : 0;
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img" aria-label="numbers over the steps of a run">
<style>
text {{ font: 13px "Helvetica Neue", Helvetica, Arial, "Noto Sans", sans-serif; fill: #1b2733; }}
.title {{ font-weight: 600; }}
.mark {{ font-size: 11.5px; fill: #6b7a89; }}
.end {{ text-anchor: end; }}
.middle {{ text-anchor: middle; }}
.grid {{ stroke: #e3e8ed; }}
.axis {{ stroke: #6b7a89; }}
polyline {{ fill: none; stroke-width: 1.6; stroke-linejoin: round; }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
)",
      panel_width * static_cast<double>(wide), bottom + legend);
  for (size_t p = 0; p < panels.size(); ++p) {
    const size_t column = p % panels_in_a_row;
    const size_t row = p / panels_in_a_row;
    out += draw_panel(panels[p], panel_width * static_cast<double>(column),
                      panel_height * static_cast<double>(row));
  }
  return out + (has_legend ? draw_names(panels.front(), bottom) : "") + "</svg>\n";
}

}  // namespace heed
