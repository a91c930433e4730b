// toml++ follows as many levels as a file has, by recursion, and a key such as a.a.a.… has one for
// every two bytes. So the levels of keys are counted before it reads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// Fault::usage with the line and column of the first key that has more parts, `a.b.c` having three,
/// or of the first bracket that opens more levels.
void check_toml_depth(std::string_view text, const std::string& who, std::size_t most_levels);

}  // namespace heed
