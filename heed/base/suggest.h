// The candidate nearest to a misspelt name, and the question "did you mean".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// The first of the candidates with the fewest edits, where exchanging neighbours is one edit, and
/// case and '-' against '_' cost nothing. Empty when all need more than two edits and more than a
/// third of the name's length.
std::optional<std::string> closest(std::string_view name, std::span<const std::string> candidates);

/// `; did you mean "additive"?`, or nothing: the end of an error message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace heed
