// A backend that is as far from the host as a GPU: the host cannot touch its memory, and its calls run
// late, on another thread, in their order. It computes with the CPU backend's primitives and has no
// kernels, so what it gives has the bits of a CPU backend without kernels.
//
// A test in which the host reads or writes a tensor's memory ends with a segmentation fault; one that
// relies on a call having run, or that reuses a buffer too early, fails.
#pragma once

#include <memory>

#include "heed/device/backend.h"

namespace heed::test {

enum class Distance : uint8_t {
  far,
  near,  // the same primitives at once, in the host's memory: what a far run is compared with
};

std::unique_ptr<Backend> far_backend(Distance distance = Distance::far);

}  // namespace heed::test
