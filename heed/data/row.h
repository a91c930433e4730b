// The cell of a source and its targets: one, or several references.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct Row {
  std::string source;
  std::vector<std::string> targets;  // at least one
};

/// Takes a training pair: a source and one target.
using TakePair = std::function<void(std::string_view source, std::string_view target)>;

/// Joins rows with the same source to one row, at the position of the first, with every different
/// target once.
std::vector<Row> joined_by_source(std::vector<Row> rows);

}  // namespace heed
