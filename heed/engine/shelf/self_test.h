// Tests whether heed works on this machine, with a tiny model made from a seed on every backend.
#pragma once

#include <string>
#include <vector>

namespace heed {

struct Check {
  std::string what;
  bool holds = false;
  std::string seen;  // what was found instead, if it does not hold
};

/// Checks that each of these backends gives the same words and, within 1e-4, the same log-probabilities as
/// `reference`; that a model written to a file and read back does so; and that one thread gives the
/// same as many.
std::vector<Check> self_test(const std::vector<std::string>& backends);

}  // namespace heed
