// Text that is safe to show: it does not move the cursor, break a line, reorder its neighbours or
// hide.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Turns any bytes into printable UTF-8: control characters become their pictures (␊), characters
/// that reorder or break a line become ⟨U+202E⟩, bytes that are not UTF-8 become ⟨FF⟩.
std::string make_visible(std::string_view bytes);

/// Turns control characters into their pictures (␊, ␛) or names (⟨U+0085⟩), except the tab; all else
/// stays as it is. The result is one line, and does not command a terminal.
std::string on_one_line(std::string_view text);

}  // namespace heed
