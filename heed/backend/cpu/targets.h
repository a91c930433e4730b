// The SIMD targets that these kernels are compiled for and that this CPU has.
#pragma once

#include <string>
#include <vector>

namespace heed {

/// Best first.
std::vector<std::string> cpu_targets();

/// Whether the kernels of the chosen target round once for x y + z.
bool fuses_products();

}  // namespace heed
