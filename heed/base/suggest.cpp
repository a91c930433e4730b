#include "heed/base/suggest.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

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

std::string_view letters(std::string_view folded_name) {
  return folded_name.substr(std::min(folded_name.find_first_not_of('_'), folded_name.size()));
}

struct Nearest {
  std::optional<std::string> name;
  std::size_t edits = 0;
};

/// Fewer edits than these are needed. Two of four letters are a slip only if the first is right.
std::size_t too_many(std::string_view wanted, std::string_view candidate) {
  constexpr std::size_t shortest = 3;
  const std::string_view name = letters(wanted);
  const bool begin_alike = name.substr(0, 1) == letters(candidate).substr(0, 1);
  return name.size() <= shortest + (begin_alike ? 0 : 1)
             ? 2
             : std::max<std::size_t>(2, name.size() / 3) + 1;
}

/// The first candidate with the fewest edits.
Nearest by_edits(const std::string& wanted, std::span<const std::string> candidates) {
  Nearest best;
  for (const std::string& name : candidates) {
    const std::string candidate = folded(name);
    const std::size_t distance = edit_distance(wanted, candidate, Swaps::yes);
    // With as many edits as letters any name turns into any other.
    const std::size_t longer = std::max(letters(wanted).size(), letters(candidate).size());
    if (distance < std::min(too_many(wanted, candidate), longer) &&
        (!best.name || distance < best.edits)) {
      best = {name, distance};
    }
  }
  return best;
}

/// The candidate with which the name shares most, of those that begin with it or it begins with.
std::optional<std::string> by_beginning(const std::string& wanted,
                                        std::span<const std::string> candidates) {
  constexpr std::size_t fewest_letters = 3;
  std::optional<std::string> best;
  std::size_t most_shared = 0;
  std::size_t least_beyond = 0;
  for (const std::string& candidate : candidates) {
    const std::string other = folded(candidate);
    const std::size_t shared = std::min(wanted.size(), other.size());
    const std::size_t beyond = std::max(wanted.size(), other.size()) - shared;
    const bool begins = wanted.starts_with(other) || other.starts_with(wanted);
    const bool is_long =
        letters(std::string_view(wanted).substr(0, shared)).size() >= fewest_letters;
    const bool is_better =
        !best || shared > most_shared || (shared == most_shared && beyond < least_beyond);
    if (begins && is_long && is_better) {
      best = candidate;
      most_shared = shared;
      least_beyond = beyond;
    }
  }
  return best;
}

}  // namespace

std::optional<std::string> closest(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest =
      256;  // a longer "name" is no misspelling, and the search is quadratic
  if (name.empty() || name.size() > longest) {
    return std::nullopt;
  }
  std::vector<std::string> some;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(some),
               [](const std::string& candidate) { return candidate.size() <= longest; });
  const std::string wanted = folded(name);
  const Nearest nearest = by_edits(wanted, some);
  const std::optional<std::string> begun = by_beginning(wanted, some);
  return begun && !(nearest.name && nearest.edits <= 1) ? begun : nearest.name;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = closest(name, candidates);
  return nearest ? fmt::format("; did you mean \"{}\"?", *nearest) : std::string();
}

}  // namespace heed
