// The oracle: every primitive as plain serial loops, in float and double (whole numbers where they mean
// something). Sums of floats accumulate in double. Offers no fused kernels, so every op composes.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed {

std::unique_ptr<Backend> reference_backend();

}  // namespace heed
