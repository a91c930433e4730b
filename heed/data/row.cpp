#include "heed/data/row.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace heed {

std::vector<Row> joined_by_source(std::vector<Row> rows) {
  std::vector<Row> joined;
  std::unordered_map<std::string, std::size_t> places;
  for (Row& row : rows) {
    const auto [place, is_new] = places.emplace(row.source, joined.size());
    if (is_new) {
      joined.push_back({std::move(row.source), {}});
    }
    std::vector<std::string>& targets = joined[place->second].targets;
    for (std::string& target : row.targets) {
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
        targets.push_back(std::move(target));
      }
    }
  }
  return joined;
}

}  // namespace heed
