// What a decoder remembers of the sources, one entry per sentence. It is never reordered and never
// copied for each hypothesis.
#pragma once

#include <span>
#include <vector>

#include "heed/attention/attention.h"

namespace heed {

struct Remembered {
  std::vector<Memory> layers;    // prepared keys and values of each block that reads the source
  Tensor summary;                // [B, D]
  std::vector<int32_t> lengths;  // of the sources
  Tensor rows = {};              // [N, D], every annotation, for decoders that label them
};

/// Joins the sources `kept` of `a` and all of `b`.
Remembered joined(const Remembered& a, std::span<const int32_t> kept, const Remembered& b);

}  // namespace heed
