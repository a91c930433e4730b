#include "heed/cli/drawing.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "heed/base/atomic_file.h"
#include "heed/cli/environment.h"
#include "heed/cli/setting_options.h"
#include "heed/engine/heard_sound.h"
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
  TerminalStyle style;
  style.colour = colour_for(how_.colour);
  style.width = terminal_width();
  style.shows_values = how_.shows_values;
  if (shown.grid.height > 0) {
    const PictureSheet sheet = picture_sheet(shown, trained, cell, how_.shows_ends);
    const PictureSheetStyle over{
        .opacity = how_.opacity, .upsampling = how_.upsampling, .map = how_.map};
    put({.terminal =
             [&] {
               return draw_terminal(sheet,
                                    {.colour = style.colour, .width = style.width, .sheet = over});
             },
         .svg = [&] { return draw_svg(sheet, over); },
         .png = [&] { return draw_png(sheet, over); }});
  } else if (!shown.seconds.empty() && !how_.transposes) {
    const SoundSheet sheet = sound_sheet(shown, trained, cell, how_.shows_ends);
    put({.terminal = [&] { return draw_terminal(sheet, style); },
         .svg = [&] { return draw_svg(sheet); },
         .png = [&] { return draw_png(sheet); }});
  } else {
    const HeatMap map = map_of(shown);
    put({.terminal = [&] { return draw_terminal(map, style); },
         .svg = [&] { return draw_svg(map, {.shows_values = how_.shows_values}); },
         .png = [&] { return draw_png(map, {.shows_values = how_.shows_values}); }});
  }
}

HeatMap Drawing::map_of(const Translation& shown) const {
  HeatMap map = heat_map(shown, how_.shows_ends);
  return how_.transposes ? transposed(map) : map;
}

void Drawing::put(const Forms& forms) const {
  if (draws_) {
    fmt::print("{}", forms.terminal());
  }
  if (!svg_.empty()) {
    write_atomically(numbered(svg_, shown_), forms.svg());
  }
  if (!png_.empty()) {
    write_atomically(numbered(png_, shown_), forms.png());
  }
}

}  // namespace heed
