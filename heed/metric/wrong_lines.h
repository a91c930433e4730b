// The lines of an output that differ from their references, word by word.
#pragma once

#include <span>
#include <string>

#include "heed/base/json.h"
#include "heed/metric/metric.h"

namespace heed {

/// [{"line": 3, "units": […]}, …]; lines are counted from 1. The metric compares by units.
Json wrong_lines(const Metric& metric, std::span<const std::string> lines,
                 std::span<const References> references);

/// The same for people: `line 3`, and the two below each other (edit_alignment.h).
std::string wrong_lines_text(const Metric& metric, std::span<const std::string> lines,
                             std::span<const References> references);

}  // namespace heed
