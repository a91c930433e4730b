#include "heed/cli/drawing.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "heed/base/atomic_file.h"
#include "heed/cli/environment.h"
#include "heed/cli/setting_options.h"
#include "heed/engine/seen_picture.h"
#include "heed/engine/words.h"
#include "heed/see/picture_terminal.h"
#include "heed/see/png.h"
#include "heed/see/svg.h"
#include "heed/see/terminal.h"

namespace heed {
namespace {

size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 100;
}

Colour colour_for(ColourChoice choice) {
  return choose_colour(choice, {.is_terminal = isatty(STDOUT_FILENO) == 1,
                                .no_color = variable("NO_COLOR"),
                                .colorterm = variable("COLORTERM"),
                                .term = variable("TERM")});
}

/// "map.svg" → "map-2.svg" for the second drawing.
std::string numbered(const std::string& path, int number) {
  if (number == 1) {
    return path;
  }
  const size_t dot = path.find_last_of("./");
  const size_t end = dot == std::string::npos || path[dot] == '/' ? path.size() : dot;
  return fmt::format("{}-{}{}", path.substr(0, end), number, path.substr(end));
}

}  // namespace

void Drawing::options(Options& options) {
  options.flag("--draw", draws_,
               "draw the attention in the terminal, darker = more weight; over the picture if the "
               "source is one");
  options.add("--svg", svg_, "draw the attention into this file; the n-th drawing goes into FILE-n")
      .takes("FILE");
  options.add("--png", png_, "the same as a PNG file").takes("FILE");
  SettingOptions settings(options, how_);
  settings["color"].also("--colour").takes("WHEN");
}

void Drawing::show(const Translation& translation, const TrainedModel& trained,
                   const std::string& cell) {
  ++shown_;
  const Translation shown = how_.shows_tokens ? translation : in_words(translation, trained);
  HeatMap map = heat_map(shown, how_.shows_ends);
  if (how_.transposes) {
    map = transposed(map);
  }
  const bool is_picture = shown.grid.height > 0;
  const PictureSheet sheet =
      is_picture ? picture_sheet(shown, trained, cell, how_.shows_ends) : PictureSheet();
  const PictureSheetStyle over{
      .opacity = how_.opacity, .upsampling = how_.upsampling, .map = how_.map};
  if (draws_ && is_picture) {
    fmt::print("{}", draw_terminal(sheet, {.colour = colour_for(how_.colour),
                                           .width = terminal_width(),
                                           .sheet = over}));
  } else if (draws_) {
    fmt::print("{}", draw_terminal(map, {.colour = colour_for(how_.colour),
                                         .width = terminal_width(),
                                         .shows_values = how_.shows_values}));
  }
  if (!svg_.empty()) {
    write_atomically(
        numbered(svg_, shown_),
        is_picture ? draw_svg(sheet, over) : draw_svg(map, {.shows_values = how_.shows_values}));
  }
  if (!png_.empty()) {
    write_atomically(
        numbered(png_, shown_),
        is_picture ? draw_png(sheet, over) : draw_png(map, {.shows_values = how_.shows_values}));
  }
}

}  // namespace heed
