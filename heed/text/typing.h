// Text as people type it, for models that learnt from text of a plain keyboard: the ’ and “ of
// telephones, and sentences all in capitals.
#pragma once

#include <string>
#include <string_view>

namespace heed {

/// Quotation marks and apostrophes as a plain keyboard has them: “It’s” → "It's".
std::string with_plain_quotes(std::string_view text);

/// A text of two letters or more that are all capitals, in small letters: HELLO → hello; any other
/// as it is.
std::string without_shouting(std::string_view text);

}  // namespace heed
