#include "heed/cli/drawing.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/cli/environment.h"
#include "heed/cli/setting_options.h"
#include "heed/cli/value_check.h"
#include "heed/data/field.h"
#include "heed/engine/answer/in_words.h"
#include "heed/engine/answer/sheet.h"
#include "heed/see/heat_map.h"
#include "heed/see/panels.h"
#include "heed/see/picture_terminal.h"
#include "heed/see/png.h"
#include "heed/see/stack.h"
#include "heed/see/svg.h"
#include "heed/see/terminal.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

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

/// "map.svg" → "map-2.svg" for the second drawing.
std::string numbered(const std::string& path, int number) {
  if (number == 1) {
    return path;
  }
  const size_t dot = path.find_last_of("./");
  const size_t end = dot == std::string::npos || path[dot] == '/' ? path.size() : dot;
  return fmt::format("{}-{}{}", path.substr(0, end), number, path.substr(end));
}

/// What stands above a panel of several: at most so long that the panels stay side by side.
std::string panel_title(std::string_view text) {
  constexpr std::size_t longest = 60;
  return shorten(drawn_label(text), longest);
}

std::string title_of(const Drawing::Answer& answer) {
  const std::string& said = answer.reply.text;
  return panel_title(said.empty() ? answer.name : answer.name + ": " + said);
}

}  // namespace

void Drawing::options(Options& options) {
  options.flag("--draw", draws_,
               "draw the attention in the terminal, darker = more weight; over the picture if the "
               "source is one");
  options.add("--svg", svg_, "draw the attention into this file; the n-th drawing goes into FILE-n")
      .check(file_of_format("svg", "png"))
      .takes("FILE");
  options.add("--png", png_, "the same as a PNG file")
      .check(file_of_format("png", "svg"))
      .takes("FILE");
  SettingOptions settings(options, how_);
  settings["color"].takes("WHEN");
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
  for (const std::string* path : {&svg_, &png_}) {
    if (!path->empty() && !directory_exists(directory_of(*path))) {
      fail(Fault::disk, "{}: there is no folder {}; make it, or choose another", *path,
           directory_of(*path));
    }
  }
}

void Drawing::show(const Reply& reply, const TrainedModel& trained, const std::string& cell) {
  ++shown_;
  if (!draws_found()) {
    show_blocks(attention_maps(trained, cell, reply.text, how_.of));
    return;
  }
  const Seen shown = how_.shows_tokens ? reply.looked() : in_words(reply, trained);
  if (has_sheet(shown)) {
    put_sheets({sheet_of(shown, trained, cell, how_.title)}, "");
  } else {
    HeatMap map = map_of(shown);
    map.title = how_.title;
    put_map(map);
  }
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

/// Pictures and recordings are drawn with the weights, and not as a map.
bool Drawing::has_sheet(const Seen& shown) const {
  return draws_found() && (shown.grid.height > 0 || (!shown.seconds.empty() && !how_.transposes));
}

Drawing::Sheet Drawing::sheet_of(const Seen& shown, const TrainedModel& trained,
                                 const std::string& cell, const std::string& title) const {
  const TerminalStyle style = terminal_style();
  if (shown.grid.height > 0) {
    PictureSheet sheet = picture_sheet(shown, trained, cell, how_.shows_ends);
    sheet.title = title;
    const PictureSheetStyle over{
        .opacity = how_.opacity, .upsampling = how_.upsampling, .map = how_.map};
    return {.terminal =
                [sheet, style, over] {
                  return draw_terminal(
                      sheet, {.colour = style.colour, .width = style.width, .sheet = over});
                },
            .svg = [sheet, over](size_t number) { return svg_part(sheet, over, number); },
            .canvas = [sheet, over] { return painted(sheet, over); }};
  }
  SoundSheet sheet = sound_sheet(shown, trained, cell, how_.shows_ends);
  sheet.title = title;
  return {.terminal = [sheet, style] { return draw_terminal(sheet, style); },
          .svg = [sheet](size_t) { return svg_part(sheet); },
          .canvas = [sheet] { return painted(sheet); }};
}

HeatMap Drawing::map_of(const Seen& shown) const {
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

void Drawing::put_sheets(const std::vector<Sheet>& sheets, const std::string& title) const {
  put({.terminal =
           [&] {
             std::string lines = title.empty() ? "" : drawn_label(title) + "\n";
             for (const Sheet& sheet : sheets) {
               lines += (&sheet == sheets.data() ? "" : "\n") + sheet.terminal();
             }
             return lines;
           },
       .svg =
           [&] {
             std::vector<SvgPart> parts;
             for (const Sheet& sheet : sheets) {
               parts.push_back(sheet.svg(parts.size()));
             }
             return stacked_svg(title, parts);
           },
       .png =
           [&] {
             std::vector<Canvas> parts;
             for (const Sheet& sheet : sheets) {
               parts.push_back(sheet.canvas());
             }
             return stacked_png(title, parts);
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

void DrawingEffects::watch(Options& options) {
  for (const char* name : {"--color", "--background"}) {
    options.at(name).only_with({"--draw"});
  }
  for (const char* name : {"--opacity", "--map", "--upsample"}) {
    over_pictures_.push_back(&options.at(name));
  }
  for (const char* name : {"--values", "--darkest", "--transpose"}) {
    in_maps_.push_back(&options.at(name));
  }
}

void DrawingEffects::check(const std::string& verb, const Field& source,
                           const Drawing& drawing) const {
  const bool has_pixels = source.form().has_pixels();
  const bool is_map = !drawing.draws_found() || drawing.how().transposes;
  for (const Option* option : over_pictures_) {
    if (option->is_given() && (!has_pixels || !drawing.draws_found())) {
      fail(Fault::usage, "{}: {} is for drawings over a picture, and {}; leave it out", verb,
           option->given_as(),
           has_pixels
               ? "this draws maps"
               : fmt::format("this model reads {}", source.has_tokens() ? "text" : source.kind()));
    }
  }
  for (const Option* option : in_maps_) {
    const bool is_over = has_pixels ? drawing.draws_found() : source.is_sound() && !is_map;
    if (option->is_given() && is_over) {
      fail(Fault::usage, "{}: {} is for maps, and the weights are drawn {}; leave it out", verb,
           option->given_as(), has_pixels ? "over the picture" : "under the recording");
    }
  }
}

void Drawing::show_side_by_side(const std::vector<Answered>& sources) {
  ++shown_;
  std::vector<Sheet> sheets;
  Panels panels;
  panels.title = how_.title;
  size_t columns = 1;
  for (const Answered& source : sources) {
    panels.begin_row.push_back(panels.maps.size());
    for (const Answer& answer : source.answers) {
      const Reply& said = answer.reply;
      if (has_sheet(said.looked())) {
        sheets.push_back(
            sheet_of(how_.shows_tokens ? said.looked() : in_words(said, answer.trained),
                     answer.trained, source.cell, title_of(answer)));
        continue;
      }
      const Panels some = panels_of(source.cell, answer);
      columns = std::max(columns, some.columns);
      for (const size_t first : some.begin_row) {
        panels.begin_row.push_back(panels.maps.size() + first);
      }
      panels.maps.insert(panels.maps.end(), some.maps.begin(), some.maps.end());
    }
  }
  panels.columns = columns > 1 ? columns : panels.columns;
  if (!sheets.empty()) {
    put_sheets(sheets, how_.title);
  } else {
    put_panels(panels);
  }
}

/// One panel or, with --heads, one for every head, where a block of several begins a row.
Panels Drawing::panels_of(const std::string& cell, const Answer& answer) const {
  const Reply& said = answer.reply;
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
    panels.maps = {map_of(how_.shows_tokens ? said.looked() : in_words(said, answer.trained))};
  } else {
    const AttentionMaps maps = attention_maps(answer.trained, cell, said.text, how_.of);
    panels.maps = {turned(maps.map(how_.block, how_.head))};
  }
  panels.maps.front().title = title_of(answer);
  return panels;
}

}  // namespace heed
