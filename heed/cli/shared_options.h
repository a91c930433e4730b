// Options that several verbs have: where lines come from and go to, where to compute, with which model.
#pragma once

#include <string>

#include "heed/cli/options.h"

namespace heed {

/// -i, --input FILE: where `what`, such as "lines", come from instead of standard input, which is "-".
Option& input_option(Options& options, std::string& path, const std::string& what);
/// -o, --output FILE, for OutputFile (output.h); empty for standard output.
Option& output_option(Options& options, std::string& path);

/// --backend, with the names that there are here.
Option& backend_option(Options& options, std::string& backend);
/// -m, --model: one model.
Option& model_option(Options& options, std::string& model);

}  // namespace heed
