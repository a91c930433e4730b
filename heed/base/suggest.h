// Did you mean: the candidate nearest to a misspelt name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// The nearest candidate by edits (a swap of neighbours is one), at most two of them or a third of
/// the name's length, and the first of equals; case and '-' against '_' cost nothing. Empty when
/// nothing is near.
std::optional<std::string> closest(std::string_view name, std::span<const std::string> candidates);

/// `; did you mean "additive"?`, or nothing: the end of an error message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace heed
