// What an edit does to a unit (a word, a character), and the units of a reference and an output below each other.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

enum class EditStep : uint8_t { same, substitution, deletion, insertion };

/// A unit of the reference and one of the output, below each other; the side that has nothing is
/// empty.
struct AlignedUnits {
  EditStep edit = EditStep::same;
  std::string reference;
  std::string output;
};

}  // namespace heed
