// Does heed work on this machine? A tiny model is made from a seed, on every backend.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct Check {
  std::string what;
  bool holds = false;
  std::string seen;  // what was found where it does not hold
};

/// Each backend gives the same words and, within 1e-4, the same log-probabilities as `reference`; a
/// model written to a file and read back says the same; so does one thread as many.
std::vector<Check> self_test();

}  // namespace heed
