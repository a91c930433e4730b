// The fonts that are built in, as TrueType files. A letter is taken from the first that has it.
#pragma once

#include <array>
#include <span>

namespace heed {

std::array<std::span<const unsigned char>, 2> built_in_fonts();

}  // namespace heed
