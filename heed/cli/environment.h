// What the environment says. It is read here and nowhere else: below the command line everything is
// handed in as a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heed/engine/model_shelf.h"

namespace heed {

/// The variable's value; empty where it is not set.
std::string_view variable(const char* name);

/// HEED_THREADS, else as many as the machine has; Fault::usage where it is no number of threads.
int threads_wanted();

/// Models that come with heed: in the folders of HEED_MODELS (colons between them), in `models` beside
/// the program, and in share/heed/models of where it is installed.
ModelShelf model_shelf();

/// HEED_DATA: the folder that paths in recipes may begin with.
std::optional<std::string> data_folder();

}  // namespace heed
