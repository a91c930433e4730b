// The machine that heed runs on, as this process sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct Machine {
  std::string system;  // "Linux 6.1.0 aarch64"
  std::string cpu;     // as the system names it
  int cores = 0;       // that this process may use
  uint64_t memory_bytes = 0;
  uint64_t free_memory_bytes = 0;
  std::vector<std::string> vectors;  // SIMD targets of this build that the CPU has, best first
};

Machine this_machine();

/// A backend that this machine or this build lacks, and why.
struct MissingBackend {
  std::string name;
  std::string why;
};
struct MachineBackends {
  std::vector<std::string> there;
  std::vector<MissingBackend> missing;
};
/// Which backends there are; libraries are opened to find out.
MachineBackends machine_backends();

}  // namespace heed
