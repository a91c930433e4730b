// Draws attention in a terminal: two columns a cell, with shade characters or a colour ramp.
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
#include "heed/see/ramp.h"

namespace heed {

/// What the terminal can show: no colour, the four greys of the sixteen ANSI colours, xterm's 256
/// colours, or 24 bits.
enum class Colour { none, grey, palette, full };

/// What the user asked for.
enum class ColourChoice { automatic, always, never };

/// What the caller knows of the terminal. The texts are environment variables, empty where unset.
struct TerminalTraits {
  bool is_terminal = false;
  std::string_view no_color;
  std::string_view colorterm;
  std::string_view term;
  std::string_view colorfgbg = {};  // "15;0": the numbers of ink and ground among 16 colours
};

/// `always` and `never` decide; `automatic` means colour if this is a terminal, NO_COLOR is empty
/// and TERM is not `dumb`. 24 bits where COLORTERM is `truecolor` or `24bit` or TERM ends in `direct`,
/// 256 colours where TERM says 256color or nothing, else greys.
Colour choose_colour(ColourChoice choice, const TerminalTraits& terminal);

enum class GroundChoice { automatic, light, dark };

/// `automatic` is what COLORFGBG says: numbers 0 to 6 and 8 are dark; a light ground where it says nothing.
Ground choose_ground(GroundChoice choice, const TerminalTraits& terminal);

enum class ColumnLabels { automatic, stacked, stairs };

struct TerminalStyle {
  Colour colour = Colour::none;
  Ground ground = Ground::light;
  ColumnLabels column_labels = ColumnLabels::automatic;
  std::size_t width = 80;     // a wider map is drawn in several panels; 0: any width
  double darkest = 0;         // the weight drawn darkest; 0: the largest of the map
  bool shows_values = false;  // per cent in every cell
};

/// This many columns of a terminal, as dark as said: shade characters, or blanks on a colour of the ramp,
/// which lasts until `colour_end`.
std::string shaded_columns(const TerminalStyle& style, double dark, std::size_t count);
inline constexpr std::string_view colour_end = "\x1b[0m";

/// The map as lines, each ended by a newline; the last line is the legend.
std::string draw_terminal(const HeatMap& map, const TerminalStyle& style = {});

}  // namespace heed
