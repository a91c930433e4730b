// A command does not write over what it reads.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Fault::usage if `output` is one of these files, under whatever name. Empty names and - are no files.
void check_is_no_input(const std::string& verb, const std::string& output,
                       const std::vector<std::string>& inputs);

}  // namespace heed
