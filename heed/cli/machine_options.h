// Options about where and how to compute, which several verbs have.
#pragma once

#include <string>

#include "heed/cli/options.h"

namespace heed {

/// --backend, with the names that there are here.
Option& backend_option(Options& options, std::string& backend);
/// -m, --model: one model.
Option& model_option(Options& options, std::string& model);

}  // namespace heed
