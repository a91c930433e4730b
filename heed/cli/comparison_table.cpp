#include "heed/cli/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/json.h"
#include "heed/cli/duration.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr std::string_view absent = "–";

using Line = std::array<std::string, 5>;

Line line_of(const Outcome& one) {
  Line line = {one.name, std::string(absent), std::string(absent), format_duration(one.seconds),
               std::string(absent)};
  if (one.measured) {
    line[1] = fmt::format("{:.2f}", one.measured->score);
    line[2] = fmt::format("{}", one.measured->parameters);
    line[4] = fmt::format("{:.0f}", one.measured->words_a_second);
  }
  return line;
}

}  // namespace

std::string as_table(const std::vector<Outcome>& outcomes, const std::string& metric) {
  std::vector<Line> lines = {{"variant", metric, "parameters", "training", "words/s"}};
  std::transform(outcomes.begin(), outcomes.end(), std::back_inserter(lines), line_of);
  std::array<size_t, 5> widths{};
  for (const Line& line : lines) {
    for (size_t c = 0; c < line.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(line[c]));
    }
  }
  std::string out;
  for (const Line& line : lines) {
    out += pad_right(line[0], widths[0]);
    for (size_t c = 1; c < line.size(); ++c) {
      out += "  " + pad_left(line[c], widths[c]);
    }
    out += "\n";
  }
  return out;
}

std::string as_json(const std::vector<Outcome>& outcomes, const std::string& metric) {
  Json all = Json::array();
  for (const Outcome& one : outcomes) {
    Json row = Json::object();
    row.set("variant", one.name);
    row.set("model", one.measured ? Json(one.folder + "/model.safetensors") : Json());
    row.set("metric", metric);
    row.set("score", one.measured ? Json(one.measured->score) : Json());
    row.set("sentences", one.measured ? Json(one.measured->sentences) : Json());
    row.set("parameters", one.measured ? Json(one.measured->parameters) : Json());
    row.set("training_seconds", one.seconds);
    row.set("words_a_second", one.measured ? Json(one.measured->words_a_second) : Json());
    if (!one.fault.empty()) {
      row.set("error", one.fault);
    }
    all.push(std::move(row));
  }
  return all.write() + "\n";
}

}  // namespace heed
