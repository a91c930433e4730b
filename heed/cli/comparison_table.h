// The table that heed compare ends in: a row for each variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/engine/run/compare.h"

namespace heed {

/// What came of a variant.
struct Outcome {
  std::string name;
  std::string folder;  // of its run
  double seconds = 0;  // of training, over all calls
  std::optional<Measured> measured;
  std::string fault = {};  // why it was not measured
};

/// Lines, each ended by a newline; what was not measured is –.
std::string as_table(const std::vector<Outcome>& outcomes, const std::string& metric);
/// The same as a JSON list in one line; what was not measured is null, and "error" says why.
std::string as_json(const std::vector<Outcome>& outcomes, const std::string& metric);

}  // namespace heed
