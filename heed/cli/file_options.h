// -i, --input and -o, --output of the verbs that read lines and write lines.
#pragma once

#include <string>

#include "heed/cli/options.h"

namespace heed {

/// -i, --input FILE: where `what`, such as "lines", come from instead of standard input, which is "-".
Option& input_option(Options& options, std::string& path, const std::string& what);
/// -o, --output FILE, for OutputFile (output_file.h); empty for standard output.
Option& output_option(Options& options, std::string& path);

}  // namespace heed
