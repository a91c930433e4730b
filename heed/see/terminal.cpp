#include "heed/see/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/see/colour_map.h"
#include "heed/see/ramp.h"
#include "heed/text/display_width.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::size_t tallest_stack = 16;
constexpr std::size_t tallest_word = 3;
constexpr std::size_t most_stairs = 24;
constexpr std::array<std::string_view, 5> shades = {" ", "░", "▒", "▓", "█"};
constexpr std::string_view reset = "\x1b[0m";

/// Everything that is decided before the first line is drawn.
struct Layout {
  const HeatMap& map;
  const TerminalStyle& style;
  double darkest;
  std::vector<std::string> rows;                 // as drawn
  std::vector<std::string> columns;              // as drawn
  std::vector<std::vector<std::string>> stacks;  // the letters of each column
  std::size_t cell;    // columns of the terminal for one column of the map
  std::size_t margin;  // columns of the terminal left of the map
};

struct Panel {
  std::size_t first;
  std::size_t end;
};

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 0;
  for (const std::string& text : labels) {
    width = std::max(width, display_width(text));
  }
  return width;
}

/// The letters from top to bottom, the last one next to the map; a stack that is too tall is cut
/// with ⋮.
std::vector<std::string> stack_of(const std::string& text) {
  std::vector<std::string> letters;
  for (const std::string_view cluster : graphemes(text)) {
    if (letters.size() == tallest_stack) {
      letters.back() = "⋮";
      break;
    }
    // A lone combining mark needs a base character.
    letters.push_back((display_width(cluster) == 0 ? "◌" : "") + std::string(cluster));
  }
  return letters;
}

Layout lay_out(const HeatMap& map, const TerminalStyle& style) {
  Layout plan{map, style, style.darkest > 0 ? style.darkest : peak(map), {}, {}, {}, 2, 0};
  plan.cell = style.shows_values ? 4 : 2;
  const std::size_t limit = style.width == 0 ? 40 : std::max<std::size_t>(style.width / 3, 4);
  for (const std::string& text : map.rows) {
    plan.rows.push_back(shorten(drawn_label(text), limit));
  }
  for (const std::string& text : map.columns) {
    plan.columns.push_back(drawn_label(text));
    plan.stacks.push_back(stack_of(plan.columns.back()));
  }
  plan.margin = widest(plan.rows) + 1;
  return plan;
}

std::vector<Panel> split(const Layout& plan) {
  const std::size_t count = plan.columns.size();
  std::size_t room = count;
  if (plan.style.width > 0) {
    const std::size_t width = std::max(plan.style.width, plan.margin + plan.cell);
    room = (width - plan.margin) / plan.cell;
  }
  std::vector<Panel> panels;
  for (std::size_t first = 0; first < count; first += room) {
    panels.push_back({first, std::min(count, first + room)});
  }
  return panels;
}

std::size_t stack_height(const Layout& plan, Panel panel) {
  std::size_t height = 0;
  for (std::size_t c = panel.first; c < panel.end; ++c) {
    height = std::max(height, plan.stacks[c].size());
  }
  return height;
}

std::string stacked_labels(const Layout& plan, Panel panel) {
  const std::size_t height = stack_height(plan, panel);
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text(plan.margin, ' ');
    for (std::size_t c = panel.first; c < panel.end; ++c) {
      const auto& letters = plan.stacks[c];
      const std::size_t above = height - letters.size();
      const std::string letter = line < above ? "" : letters[line - above];
      const std::size_t lead = plan.cell / 2 - 1;
      text += std::string(lead, ' ') + pad_right(letter, plan.cell - lead);
    }
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

/// Where the label of column c starts when labels are stairs.
std::size_t stair_start(const Layout& plan, Panel panel, std::size_t c) {
  return plan.margin + plan.cell * (c - panel.first) + plan.cell / 2 - 1 + 2;
}

bool stairs_fit(const Layout& plan, Panel panel) {
  for (std::size_t c = panel.first; c < panel.end; ++c) {
    const std::size_t end = stair_start(plan, panel, c) + display_width(plan.columns[c]);
    if (plan.style.width > 0 && end > plan.style.width) {
      return false;
    }
  }
  return true;
}

std::string stair_labels(const Layout& plan, Panel panel) {
  const std::string lead(plan.cell / 2 - 1, ' ');
  const std::string leader = lead + "│" + std::string(plan.cell - lead.size() - 1, ' ');
  std::string out;
  for (std::size_t c = panel.first; c < panel.end; ++c) {
    std::string text(plan.margin, ' ');
    for (std::size_t left = panel.first; left < c; ++left) {
      text += leader;
    }
    const std::size_t start = stair_start(plan, panel, c);
    const std::size_t width = plan.style.width;
    const std::string& full = plan.columns[c];
    text += lead + "┌ " + (width == 0 ? full : shorten(full, width > start ? width - start : 0));
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string column_labels(const Layout& plan, const std::vector<Panel>& panels, Panel panel) {
  // Stairs are easiest to read as long as there are few. Words of one to three letters, as in
  // Chinese, stack well.
  const bool reads_better =
      panel.end - panel.first <= most_stairs && stack_height(plan, panel) > tallest_word;
  const bool is_stairs = plan.style.column_labels == ColumnLabels::stairs ||
                         (plan.style.column_labels == ColumnLabels::automatic &&
                          panels.size() == 1 && reads_better && stairs_fit(plan, panel));
  return is_stairs ? stair_labels(plan, panel) : stacked_labels(plan, panel);
}

std::string per_cent(double weight, std::size_t cell) {
  if (weight > 9.99) {
    return pad_left("≫", cell - 1) + " ";
  }
  const long rounded = std::lround(weight * 100);
  return pad_left(rounded == 0 ? "·" : std::to_string(rounded), cell - 1) + " ";
}

std::string paint(const TerminalStyle& style, double dark) {
  if (style.colour == Colour::grey) {
    const double light = style.ground == Ground::light ? 1 - dark : dark;
    const int ground = grey_of_four(255 * light);
    return ground_of_four(ground) + ink_of_four(ground < 2 ? 3 : 0);
  }
  if (style.colour == Colour::palette) {
    return fmt::format("\x1b[48;5;{}m\x1b[38;5;{}m", palette_ramp(dark, style.ground),
                       needs_light_ink(dark, style.ground) ? 231 : 16);
  }
  const Rgb rgb = ramp(dark, style.ground);
  const int ink = needs_light_ink(dark, style.ground) ? 255 : 0;
  return fmt::format("\x1b[48;2;{};{};{}m\x1b[38;2;{};{};{}m", rgb.red, rgb.green, rgb.blue, ink,
                     ink, ink);
}

/// The levels cut [0, 1] into five equal parts.
std::string_view shade(double dark) {
  return shades[std::min<std::size_t>(static_cast<std::size_t>(dark * 5), 4)];
}

std::string draw_cell(const Layout& plan, double weight) {
  const double dark = darkness(weight, plan.darkest);
  const bool is_colour = plan.style.colour != Colour::none;
  if (std::isnan(dark)) {
    const std::string mark = plan.style.shows_values ? "  ? " : "??";
    return (is_colour ? std::string(reset) : "") + mark;
  }
  if (!is_colour) {
    return plan.style.shows_values ? per_cent(weight, plan.cell) : repeat(shade(dark), plan.cell);
  }
  const std::string inside =
      plan.style.shows_values ? per_cent(weight, plan.cell) : std::string(plan.cell, ' ');
  return paint(plan.style, dark) + inside;
}

std::string draw_row(const Layout& plan, Panel panel, std::size_t row) {
  std::string line = pad_left(plan.rows[row], plan.margin - 1) + " ";
  for (std::size_t c = panel.first; c < panel.end; ++c) {
    line += draw_cell(plan, plan.map.at(row, c));
  }
  if (plan.style.colour != Colour::none) {
    return line + std::string(reset) + "\n";
  }
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string legend(const Layout& plan) {
  std::string line = fmt::format("{} ↓  {} →  ", drawn_label(plan.map.row_axis),
                                 drawn_label(plan.map.column_axis));
  if (plan.style.colour == Colour::none) {
    if (plan.style.shows_values) {
      return line + "weight in per cent\n";
    }
    line += "weight";
    for (std::size_t level = 1; level < shades.size(); ++level) {
      line += fmt::format("  {} ≥ {:.2f}", shades[level],
                          plan.darkest * static_cast<double>(level) / 5);
    }
    return line + "\n";
  }
  constexpr int steps = 20;
  line += "weight  0 ";
  for (int step = 0; step < steps; ++step) {
    line += paint(plan.style, step / (steps - 1.0)) + " ";
  }
  return line + fmt::format("{} {:.2f}\n", reset, plan.darkest);
}

}  // namespace

Colour choose_colour(ColourChoice choice, const TerminalTraits& terminal) {
  const bool is_wanted =
      choice == ColourChoice::always ||
      (choice == ColourChoice::automatic && terminal.is_terminal && terminal.no_color.empty() &&
       terminal.term != "dumb" && !(terminal.term.empty() && terminal.colorterm.empty()));
  if (!is_wanted) {
    return Colour::none;
  }
  if (terminal.colorterm == "truecolor" || terminal.colorterm == "24bit" ||
      terminal.term.ends_with("direct")) {
    return Colour::full;
  }
  const bool is_palette =
      terminal.term.empty() || terminal.term.find("256color") != std::string_view::npos;
  return is_palette ? Colour::palette : Colour::grey;
}

Ground choose_ground(GroundChoice choice, const TerminalTraits& terminal) {
  if (choice != GroundChoice::automatic) {
    return choice == GroundChoice::dark ? Ground::dark : Ground::light;
  }
  const std::string_view said = terminal.colorfgbg;
  const std::string_view number = said.substr(said.find_last_of(';') + 1);  // npos + 1 = 0
  const bool is_dark = number.size() == 1 && number[0] >= '0' && number[0] <= '8' && number != "7";
  return is_dark ? Ground::dark : Ground::light;
}

std::string shaded_columns(const TerminalStyle& style, double dark, std::size_t count) {
  return style.colour == Colour::none ? repeat(shade(dark), count)
                                      : paint(style, dark) + std::string(count, ' ');
}

std::string draw_terminal(const HeatMap& map, const TerminalStyle& style) {
  check(map);
  const Layout plan = lay_out(map, style);
  std::string out = map.title.empty() ? "" : drawn_label(map.title) + "\n";
  if (map.weights.empty()) {
    return out + fmt::format("nothing to draw: {} rows × {} columns\n", map.rows.size(),
                             map.columns.size());
  }
  const std::vector<Panel> panels = split(plan);
  for (const Panel panel : panels) {
    if (panels.size() > 1) {
      out +=
          fmt::format("{}{} {}–{} of {}\n", panel.first == 0 ? "" : "\n",
                      drawn_label(map.column_axis), panel.first + 1, panel.end, map.columns.size());
    }
    out += column_labels(plan, panels, panel);
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
      out += draw_row(plan, panel, row);
    }
  }
  return out + legend(plan);
}

}  // namespace heed
