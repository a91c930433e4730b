// Several maps on one sheet, for comparing them: the heads of a block, one sentence under several models. All share one scale
// and one legend.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heed/see/heat_map.h"
#include "heed/see/png.h"
#include "heed/see/svg.h"
#include "heed/see/terminal.h"

namespace heed {

struct Panels {
  std::string title;
  std::vector<HeatMap> maps;  // each with its own title
  std::size_t columns = 4;    // the most that are beside each other
  std::vector<std::size_t> begin_row =
      {};  // maps, in ascending order, that begin a row though the last has room
};

std::string draw_svg(const Panels& panels, const SvgStyle& style = {});
std::string draw_png(const Panels& panels, const PngStyle& style = {});
/// One below the other, each ended by a legend.
std::string draw_terminal(const Panels& panels, const TerminalStyle& style = {});

}  // namespace heed
