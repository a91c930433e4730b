#include "heed/cli/file_options.h"

#include <fmt/core.h>

namespace heed {

Option& input_option(Options& options, std::string& path, const std::string& what) {
  return options
      .add("-i,--input", path,
           fmt::format("read the {} of this file instead of standard input", what))
      .takes("FILE");
}

Option& output_option(Options& options, std::string& path) {
  return options
      .add("-o,--output", path,
           "write into this file, which appears when all is done, instead of to standard output")
      .takes("FILE");
}

}  // namespace heed
