// The backend that others are tested against: every primitive is a plain serial loop, in float and
// double (and whole numbers where they make sense). Sums of floats are computed in double. It has
// no fused kernels, so every op composes.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed {

std::unique_ptr<Backend> reference_backend();

}  // namespace heed
