// Answers that another program reads line by line from a pipe.
#pragma once

#include <string_view>

namespace heed {

/// Writes the text to standard output at once. If that is a pipe, a signal that ends the program takes effect when the
/// text is written, so that the reader gets no half of a line; but it does not wait for a reader that takes nothing for
/// a second.
void print_whole(std::string_view text);

}  // namespace heed
