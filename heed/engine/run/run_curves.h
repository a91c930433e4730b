// What metrics.jsonl of a run says over its steps, or another file of such lines over another of its numbers, by the name of the quantity: `loss`, `valid_loss`,
// `self_critical` for an objective's loss, `self_critical reward` for what it measures beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/see/curves.h"

namespace heed {

/// In the order in which the file first has them. `path` is a run's folder, or its metrics.jsonl; `over` is
/// the number of each line that the others are drawn over.
/// Fault::file if the file cannot be read or a line is no such object; a last line that is cut is left
/// out, as a run that is under way may leave it.
std::vector<std::pair<std::string, Curve>> read_run(const std::string& path,
                                                    const std::string& over = "step");

/// Whether a quantity is drawn although nobody asked for it: not how fast the run was, and the like.
bool is_telling(const std::string& quantity);

}  // namespace heed
