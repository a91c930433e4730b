// The card of a model, README.md: between two lines --- at its beginning there are lines `name: value`,
// and lists of values as `name:` followed by lines `- value`.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace heed {

/// The values by their names; those of a list are joined by ", ". Anything else is skipped.
std::map<std::string, std::string> read_model_card(std::string_view text);

}  // namespace heed
