#include <cstdint>

#include "heed/cli/command_line.h"

// Highway's shared library measures the resolution of the clock while it is loaded, which takes 4 ms,
// for benchmarks of its own. The program's definition comes before the library's, so that a start does
// not wait for a figure that nobody reads.
namespace hwy::platform {
// NOLINTBEGIN(readability-identifier-naming)
std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
// NOLINTEND(readability-identifier-naming)
}  // namespace hwy::platform

int main(int argc, char** argv) { return heed::run_command_line(argc, argv); }
