// Finds where gradients end: normalisers that choose a slot pass none to their scores.
#pragma once

#include <string>
#include <vector>

#include "heed/config/described.h"

namespace heed {

/// Each such normaliser in a module: "decoder.attention.normaliser = hard".
std::vector<std::string> gradient_stops(Described& module);

}  // namespace heed
