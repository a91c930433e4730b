// The cell of a source and what it may become: one target, or several that are references of one another.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct Row {
  std::string source;
  std::vector<std::string> targets;  // at least one
};

/// Rows with the same source as one, where the first of them stood, with the targets of all, each
/// once.
std::vector<Row> joined_by_source(std::vector<Row> rows);

}  // namespace heed
