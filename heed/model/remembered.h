// What a decoder knows of the sources: per sentence, never reordered, never multiplied by the beam.
#pragma once

#include <span>
#include <vector>

#include "heed/attention/attention.h"

namespace heed {

struct Remembered {
  std::vector<Memory> layers;    // prepared keys and values of every block that looks at the source
  Tensor summary;                // [B, D]
  std::vector<int32_t> lengths;  // of the sources
  Tensor rows = {};              // [N, D], every annotation: for decoders that label them
};

/// The sources `kept` of `a`, then all of `b`.
Remembered joined(const Remembered& a, std::span<const int32_t> kept, const Remembered& b);

}  // namespace heed
