#include "heed/cli/shared_options.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "heed/engine/shelf/place.h"

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

Option& backend_option(Options& options, std::string& backend) {
  const std::vector<std::string> names = place_names();
  return options
      .add("--backend", backend, fmt::format("where to compute: {}", fmt::join(names, " or ")))
      .takes("NAME")
      .check({fault_of_place, names})
      .with_default();
}

Option& model_option(Options& options, std::string& model) {
  return options.add("-m,--model", model, "a model file, or the name of one that heed models lists")
      .takes("FILE")
      .completes("models");
}

}  // namespace heed
