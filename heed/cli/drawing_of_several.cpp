// The drawings of what several models answered to the same sources.
#include <fmt/format.h>

#include <algorithm>

#include "heed/cli/drawing.h"
#include "heed/engine/answer/in_words.h"
#include "heed/see/heat_map.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

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
