// Completion scripts for shells, made from the table of options.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/verb_table.h"

namespace heed {

/// bash, zsh, fish.
std::vector<std::string> shells();
/// The script that makes this shell complete `heed`.
std::string completion_for(const std::string& shell, const std::vector<VerbRow>& verbs);

}  // namespace heed
