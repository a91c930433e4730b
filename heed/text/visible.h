// Text that is safe to show: nothing in it moves the cursor, breaks a line, reorders its neighbours
// or hides.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Any bytes at all as printable UTF-8: control characters as their pictures (␊), what would
/// reorder or break a line as ⟨U+202E⟩, bytes that are not UTF-8 as ⟨FF⟩. Other text is unchanged.
std::string make_visible(std::string_view bytes);

}  // namespace heed
