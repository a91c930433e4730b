#include "heed/engine/run/run_curves.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json_reader.h"

namespace heed {
namespace {

using Curves = std::vector<std::pair<std::string, Curve>>;

void add_point(Curves& curves, const std::string& quantity, double step, double value) {
  auto found = std::find_if(curves.begin(), curves.end(),
                            [&](const auto& one) { return one.first == quantity; });
  if (found == curves.end()) {
    curves.emplace_back(quantity, Curve{});
    found = std::prev(curves.end());
  }
  found->second.points.emplace_back(step, value);
}

void add_line(Curves& curves, const JsonReader& line, const std::string& over) {
  const double step = line.at(over).number();
  const auto objective = line.find("objective");
  for (const auto& [key, value] : line.members()) {
    const bool is_number =
        value.kind() == Json::Kind::integer || value.kind() == Json::Kind::number;
    if (key == over || !is_number) {
      continue;  // a number that was not finite is null
    }
    const std::string quantity = !objective                ? key
                                 : key == "objective_loss" ? objective->text()
                                                           : objective->text() + " " + key;
    add_point(curves, quantity, step, value.number());
  }
}

}  // namespace

Curves read_run(const std::string& path, const std::string& over) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/metrics.jsonl" : path;
  const std::string text = read_file(file);
  Curves curves;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      break;
    }
    const std::string who = fmt::format("{}:{}", file, ++number);
    const Json json = parse_json(std::string_view(text).substr(begin, end - begin), who);
    add_line(curves, JsonReader(json, who), over);
    begin = end + 1;
  }
  if (curves.empty()) {
    fail(Fault::file, "{}: there are no numbers to draw yet; train for some more steps", file);
  }
  return curves;
}

bool is_telling(const std::string& quantity) {
  constexpr std::array<std::string_view, 6> others = {
      "epoch", "tokens", "learning_rate", "gradient_norm", "skipped", "tokens_per_second"};
  return std::find(others.begin(), others.end(), quantity) == others.end() &&
         !quantity.ends_with(" weight");
}

}  // namespace heed
