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

/// A copy with room for `sources` sources of up to `slots` slots; those of `kept` are the first.
Remembered with_room(const Remembered& a, std::span<const int32_t> kept, int64_t sources,
                     int64_t slots);
/// The number of slots that there is room for; 0 where no block reads the source.
int64_t slots_of(const Remembered& memory);
/// Writes the sources of `b` over those of `a` that `at` names, in place and nothing else. There must be room.
void write_sources(Remembered& a, const Remembered& b, std::span<const int32_t> at);

}  // namespace heed
