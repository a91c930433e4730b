// Attention in a terminal: two columns a cell, shades of ink without colour, a light-to-dark ramp
// with it.
//
//      ┌ das                      column labels as stairs where they are few and fit,
//      │ ┌ Haus                   else stacked letter by letter above their column
//  the ██
// house   ██
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "heed/see/heat_map.h"

namespace heed {

/// What the terminal can show: no colour at all, xterm's 256, or 24 bits.
enum class Colour { none, palette, full };

/// What the user asked for.
enum class ColourWish { automatic, always, never };

/// What the caller knows of the terminal; environment variables as they are, empty where unset.
struct Surroundings {
  bool is_terminal = false;
  std::string_view no_color;
  std::string_view colorterm;
  std::string_view term;
};

/// `always` and `never` rule; `automatic` asks for a terminal, an empty NO_COLOR and a TERM that is
/// not `dumb`.
Colour choose_colour(ColourWish wish, const Surroundings& around);

enum class ColumnLabels { automatic, stacked, stairs };

struct TerminalStyle {
  Colour colour = Colour::none;
  ColumnLabels column_labels = ColumnLabels::automatic;
  std::size_t width = 80;     // columns to stay within, by drawing the map in panels; 0: any number
  double darkest = 0;         // the weight drawn darkest; 0: the largest of the map
  bool shows_values = false;  // per cent in every cell
};

/// The map as lines, each ended by a newline; a last line is the legend.
std::string draw_terminal(const HeatMap& map, const TerminalStyle& style = {});

}  // namespace heed
