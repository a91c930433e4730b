#include "heed/metric/wrong_lines.h"

#include <fmt/format.h>

#include "heed/metric/edit_alignment.h"

namespace heed {
namespace {

template <class Take>
void for_each_wrong(const Metric& metric, std::span<const std::string> lines,
                    std::span<const References> references, Take&& take) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto units = metric.aligned(lines[i], references[i]); !units.empty()) {
      take(i + 1, units);
    }
  }
}

}  // namespace

Json wrong_lines(const Metric& metric, std::span<const std::string> lines,
                 std::span<const References> references) {
  Json all = Json::array();
  for_each_wrong(metric, lines, references, [&all](std::size_t line, const auto& units) {
    all.push(Json::object().set("line", line).set("units", json_of(units)));
  });
  return all;
}

std::string wrong_lines_text(const Metric& metric, std::span<const std::string> lines,
                             std::span<const References> references) {
  std::string all;
  for_each_wrong(metric, lines, references, [&all](std::size_t line, const auto& units) {
    all += fmt::format("line {}\n{}\n", line, aligned_lines(units));
  });
  return all;
}

}  // namespace heed
