// Completion scripts for shells, made from the table of options.
#pragma once

#include <string>
#include <vector>

#include "heed/cli/verb_table.h"

namespace heed {

/// bash, zsh, fish.
std::vector<std::string> shells();
/// The kinds of names that an Option may be completed by (Option::completes), and the names of a kind.
/// The scripts ask for them at the time of completion, because models and recipes come and go.
std::vector<std::string> completed_kinds();
std::vector<std::string> completed_names(const std::string& kind);
/// The script that makes this shell complete `heed`.
std::string completion_for(const std::string& shell, const std::vector<VerbRow>& verbs);

}  // namespace heed
