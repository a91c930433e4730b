// Which SIMD instructions the CPU backend may choose from on this machine.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Names of the targets that this build holds and this CPU can run, best first.
std::vector<std::string> vector_targets();

}  // namespace heed
