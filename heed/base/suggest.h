// The candidate nearest to a misspelt name, and the question "did you mean".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heed {

/// The candidate that is most likely meant; case and '-' against '_' make no difference. One that is a
/// single edit away comes first (exchanging neighbours is one edit), then one that begins with the name
/// or that the name begins with ("eval" and "evaluate", "beam_size" and "beam"), then the one with the
/// fewest edits. Empty when all need more than two edits and more than a third of the name's letters,
/// or more than one edit of a name of three letters, or of four if they begin differently.
std::optional<std::string> closest(std::string_view name, std::span<const std::string> candidates);

/// `; did you mean "additive"?`, or nothing: the end of an error message.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace heed
