#include "heed/cli/machine_options.h"

#include <fmt/format.h>

#include "heed/engine/shelf/place.h"

namespace heed {

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
