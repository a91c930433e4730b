// The texts that --help prints.
#pragma once

#include <string>

#include "heed/cli/verb_table.h"

namespace heed {

std::string program_help();
std::string verb_help(const VerbRow& verb);

}  // namespace heed
