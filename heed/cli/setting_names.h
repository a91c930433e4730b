// The layers below name settings, and the command line the options that set them.
#pragma once

#include <string>
#include <string_view>

#include "heed/cli/options.h"

namespace heed {

/// The message with `max_source` as --max-source, and so on, wherever there is such an option.
std::string naming_options(std::string_view message, const Options& options);

}  // namespace heed
