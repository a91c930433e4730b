// toml++ reads nested levels by recursion, without a limit, and a key such as a.a.a.… has a level
// for every two bytes. So the levels are counted before toml++ reads the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

/// Fault::usage with the line and column of the first key with more parts (`a.b.c` has three), or
/// of the first bracket that opens more levels.
void check_toml_depth(std::string_view text, const std::string& who, std::size_t most_levels);

}  // namespace heed
