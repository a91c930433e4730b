// Many copies in one call.
#pragma once

#include <span>

#include "heed/device/view.h"

namespace heed {

struct CopyPair {
  View to;
  View from;
};

/// to ← from for each pair, as Backend::copy does it. No pair reads or writes what another writes.
struct Copies {
  static constexpr const char* name = "copies";
  std::span<const CopyPair> pairs;
};

}  // namespace heed
