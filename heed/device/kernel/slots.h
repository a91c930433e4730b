// A slot for each row, written to all parts of a cache in one call.
#pragma once

#include <span>

#include "heed/device/view.h"

namespace heed {

struct SlotWrite {
  View to;    // [Q, G, S, d]
  View rows;  // [Q, G, d]
};

/// to[q, g, at[q], d] ← rows[q, g, d] for each part, as Backend::write_slots does it. No part reads
/// or writes what another writes.
struct WriteEachSlots {
  static constexpr const char* name = "write_each_slots";
  std::span<const SlotWrite> writes;
  View at;  // i32 [Q]
};

}  // namespace heed
