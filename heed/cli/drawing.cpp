#include "heed/cli/drawing.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "heed/base/atomic_file.h"
#include "heed/cli/environment.h"
#include "heed/cli/setting_options.h"
#include "heed/engine/heard_sound.h"
#include "heed/engine/seen_picture.h"
#include "heed/engine/words.h"
#include "heed/see/panels.h"
#include "heed/see/picture_terminal.h"
#include "heed/see/png.h"
#include "heed/see/sheet.h"
#include "heed/see/svg.h"
#include "heed/see/terminal.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

/// What stands above a panel of several: at most so long that the panels stay side by side.
std::string panel_title(std::string_view text) {
  constexpr std::size_t longest = 60;
  return shorten(drawn_label(text), longest);
}

size_t terminal_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 100;
}

TerminalTraits this_terminal() {
  return {.is_terminal = isatty(STDOUT_FILENO) == 1,
          .no_color = variable("NO_COLOR"),
          .colorterm = variable("COLORTERM"),
          .term = variable("TERM"),
          .colorfgbg = variable("COLORFGBG")};
}

/// A name whose ending says another format is refused; one without an ending, or with one that says nothing, is taken.
ValueCheck named_as(const std::string& format) {
  return {[format](const std::string& given) {
    const size_t dot = given.find_last_of("./");
    std::string ending = dot == std::string::npos || given[dot] == '/' ? "" : given.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), ending.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? letter + 32 : letter;
    });
    constexpr std::array<std::string_view, 16> formats = {
        "svg",  "png", "jpg", "jpeg", "gif", "webp", "bmp",  "tif",
        "tiff", "pdf", "ps",  "eps",  "txt", "html", "json", "csv"};
    const bool is_other =
        ending != format && std::find(formats.begin(), formats.end(), ending) != formats.end();
    return is_other
               ? fmt::format(
                     "\"{}\" would be a wrong name, as this writes {}; name the file .{}{}", given,
                     format, format,
                     ending == "svg" || ending == "png" ? fmt::format(", or use --{}", ending) : "")
               : std::string();
  }};
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
      .check(named_as("svg"))
      .takes("FILE");
  options.add("--png", png_, "the same as a PNG file").check(named_as("png")).takes("FILE");
  SettingOptions settings(options, how_);
  settings["color"].also("--colour").takes("WHEN");
}

void Drawing::only_where_drawn(Options& options, const std::vector<std::string>& showing_maps) {
  for (const char* look :
       {"--title", "--transpose", "--values", "--darkest", "--opacity", "--map", "--upsample"}) {
    options.at(look).only_with(names());
  }
  std::vector<std::string> showing = names();
  showing.insert(showing.end(), showing_maps.begin(), showing_maps.end());
  for (const char* which : {"--attention", "--heads"}) {
    options.at(which).only_with(showing);
  }
}

TerminalStyle Drawing::terminal_style() const {
  TerminalStyle style;
  const TerminalTraits traits = this_terminal();
  style.colour = choose_colour(how_.colour, traits);
  style.ground = choose_ground(how_.ground, traits);
  style.width = terminal_width();
  style.darkest = how_.darkest;
  style.shows_values = how_.shows_values;
  return style;
}

void Drawing::check() const {
  if (how_.shows_heads && how_.head >= 0) {
    fail(Fault::usage, "--heads draws every head and --head {} one; give one of them", how_.head);
  }
}

void Drawing::show(const Translation& translation, const TrainedModel& trained,
                   const std::string& cell) {
  ++shown_;
  if (!draws_found()) {
    show_blocks(attention_maps(trained, cell, translation.text, how_.of));
    return;
  }
  const Translation shown = how_.shows_tokens ? translation : in_words(translation, trained);
  const TerminalStyle style = terminal_style();
  if (shown.grid.height > 0) {
    PictureSheet sheet = picture_sheet(shown, trained, cell, how_.shows_ends);
    sheet.title = how_.title;
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
    SoundSheet sheet = sound_sheet(shown, trained, cell, how_.shows_ends);
    sheet.title = how_.title;
    put({.terminal = [&] { return draw_terminal(sheet, style); },
         .svg = [&] { return draw_svg(sheet); },
         .png = [&] { return draw_png(sheet); }});
  } else {
    HeatMap map = map_of(shown);
    map.title = how_.title;
    put_map(map);
  }
}

void Drawing::show_side_by_side(const std::vector<Answered>& sources) {
  ++shown_;
  Panels all;
  all.title = how_.title;
  size_t columns = 1;
  for (const Answered& source : sources) {
    all.begin_row.push_back(all.maps.size());
    for (const Answer& answer : source.answers) {
      const Panels some = panels_of(source.cell, answer);
      columns = std::max(columns, some.columns);
      for (const size_t first : some.begin_row) {
        all.begin_row.push_back(all.maps.size() + first);
      }
      all.maps.insert(all.maps.end(), some.maps.begin(), some.maps.end());
    }
  }
  all.columns = columns > 1 ? columns : all.columns;
  put_panels(all);
}

/// One panel or, with --heads, one for every head, where a block of several begins a row.
Panels Drawing::panels_of(const std::string& cell, const Answer& answer) const {
  const Translation& said = answer.translation;
  Panels panels;
  panels.columns = 1;
  if (how_.shows_heads) {
    panels = attention_maps(answer.trained, cell, said.text, how_.of).panels(how_.block);
    for (HeatMap& map : panels.maps) {
      const std::string title = fmt::format("{}, {}", answer.name, map.title);
      map = turned(map);
      map.title = panel_title(title);
    }
    if (panels.columns == 1) {
      panels.begin_row.clear();
    }
    return panels;
  }
  if (draws_found()) {
    panels.maps = {map_of(how_.shows_tokens ? said : in_words(said, answer.trained))};
  } else {
    const AttentionMaps maps = attention_maps(answer.trained, cell, said.text, how_.of);
    panels.maps = {turned(maps.map(how_.block, how_.head))};
  }
  panels.maps.front().title =
      panel_title(said.text.empty() ? answer.name : answer.name + ": " + said.text);
  return panels;
}

/// One map or, with --heads, a panel for every head.
void Drawing::show_blocks(const AttentionMaps& maps) const {
  if (!how_.shows_heads) {
    HeatMap map = turned(maps.map(how_.block, how_.head));
    map.title = how_.title;
    put_map(map);
    return;
  }
  Panels panels = maps.panels(how_.block);
  panels.title = how_.title;
  std::transform(panels.maps.begin(), panels.maps.end(), panels.maps.begin(),
                 [this](const HeatMap& map) { return turned(map); });
  put_panels(panels);
}

HeatMap Drawing::map_of(const Translation& shown) const {
  return turned(drawn_map(shown, how_.shows_ends));
}

void Drawing::put_map(const HeatMap& map) const {
  put({.terminal = [&] { return draw_terminal(map, terminal_style()); },
       .svg =
           [&] {
             return draw_svg(map, {.darkest = how_.darkest, .shows_values = how_.shows_values});
           },
       .png =
           [&] {
             return draw_png(map, {.darkest = how_.darkest, .shows_values = how_.shows_values});
           }});
}

void Drawing::put_panels(const Panels& panels) const {
  put({.terminal = [&] { return draw_terminal(panels, terminal_style()); },
       .svg =
           [&] {
             return draw_svg(
                 panels,
                 {.cell_px = 22, .darkest = how_.darkest, .shows_values = how_.shows_values});
           },
       .png =
           [&] {
             return draw_png(
                 panels,
                 {.cell_px = 22, .darkest = how_.darkest, .shows_values = how_.shows_values});
           }});
}

std::string Drawing::files() const {
  return svg_ + (svg_.empty() || png_.empty() ? "" : ", ") + png_;
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
