#include "heed/base/suggest.h"

#include <fmt/core.h>

#include <algorithm>

#include "heed/base/edit_distance.h"

namespace heed {
namespace {

std::string folded(std::string_view name) {
  std::string plain(name);
  for (char& letter : plain) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    } else if (letter == '-') {
      letter = '_';
    }
  }
  return plain;
}

}  // namespace

std::optional<std::string> closest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest =
      256;  // a longer "name" is no misspelling, and the search is quadratic
  if (name.empty() || name.size() > longest) {
    return std::nullopt;
  }
  const std::string wanted = folded(name);
  std::size_t least = std::max<std::size_t>(2, wanted.size() / 3) + 1;
  std::optional<std::string> best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest) {
      continue;
    }
    const std::size_t distance = edit_distance(wanted, folded(candidate), Swaps::yes);
    // With as many edits as letters any name turns into any other.
    if (distance < least && distance < std::max(wanted.size(), candidate.size())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = closest(name, candidates);
  return nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : std::string();
}

}  // namespace heed
