// A source and a target that are given: the fields that score, align and attention have in common.
#pragma once

#include <string>

#include "heed/config/described.h"
#include "heed/serve/serve_options.h"

namespace heed {

struct AskedPair {
  std::string source;
  std::string target;

  void describe(Describer& d);
  /// Throws all that is wrong with the two. The target must not be empty where `needs_target`, nor the
  /// source where `needs_source`.
  void check(const ServeOptions& limits, bool needs_source, bool needs_target) const;
};

}  // namespace heed
