#include "heed/text/subword/character_map.h"

#include "heed/base/error.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::size_t longest_text = 256;  // bytes; Unicode's own longest is 33

uint32_t little_endian(std::string_view four) {
  uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<uint32_t>(static_cast<uint8_t>(four[i])) << (8 * i);
  }
  return value;
}

/// The fields of a unit of a Darts-clone array.
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t label(uint32_t unit) { return unit & (1U << 31 | 0xFF); }
uint32_t offset(uint32_t unit) { return unit >> 10 << ((unit & 1U << 9) >> 6); }
uint32_t leaf(uint32_t unit) { return unit & ~(1U << 31); }

}  // namespace

CharacterMap::CharacterMap(std::string_view compiled, std::string_view who) : who_(who) {
  if (compiled.empty()) {
    return;
  }
  if (compiled.size() < 4) {
    fail_corrupt();
  }
  const std::size_t size = little_endian(compiled);
  compiled.remove_prefix(4);
  if (size == 0 || size % 4 != 0 || size >= compiled.size() || compiled.back() != '\0') {
    fail_corrupt();
  }
  units_.reserve(size / 4);
  for (std::size_t at = 0; at < size; at += 4) {
    units_.push_back(little_endian(compiled.substr(at)));
  }
  texts_ = compiled.substr(size);
  check_utf8(who, texts_);
  check_units();
}

/// Wherever a text leads, it stays in the array: the children of a unit lie in one block of 256, and a leaf that a
/// unit has is the first of its children.
void CharacterMap::check_units() const {
  for (std::size_t at = 0; at < units_.size(); ++at) {
    const bool is_leaf = at > 0 && units_[at] >> 31 != 0;
    const std::size_t children = at ^ offset(units_[at]);
    if (!is_leaf && (children | 0xFF) >= units_.size()) {
      fail_corrupt();
    }
    if (!is_leaf && has_leaf(units_[at])) {
      text_at(leaf(units_[children]));
    }
  }
}

CharacterMap::Match CharacterMap::match(std::string_view text) const {
  Match longest;
  if (empty()) {
    return longest;
  }
  std::size_t at = offset(units_.front());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    at ^= byte;
    const uint32_t here = units_[at];
    if (label(here) != byte) {
      break;
    }
    at ^= offset(here);
    if (has_leaf(here)) {
      longest = {i + 1, text_at(leaf(units_[at]))};
    }
  }
  return longest;
}

std::string_view CharacterMap::text_at(uint32_t at) const {
  if (at >= texts_.size() || (at > 0 && texts_[at - 1] != '\0')) {
    fail_corrupt();
  }
  const std::string_view text = texts_.c_str() + at;  // the constructor checked its end
  if (text.size() > longest_text) {
    fail_corrupt();
  }
  return text;
}

void CharacterMap::fail_corrupt() const {
  fail(Fault::file, "{}: the map of characters leads out of itself; the vocabulary is corrupt",
       who_);
}

}  // namespace heed
