// The English names of languages.
#pragma once

#include <string>

namespace heed {

/// "English" for "en"; the code itself where no name is known.
std::string language_name(const std::string& code);

}  // namespace heed
