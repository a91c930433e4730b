#include "heed/data/synth.h"

namespace heed {

Split split_of(std::string_view target) {
  // FNV alone is weak in its low bits, so its value goes through a round of Philox.
  switch (Philox{stream_named(target)}(0)[0] % 20) {
    case 0:
      return Split::valid;
    case 1:
      return Split::test;
    default:
      return Split::train;
  }
}

Example Synth::make(std::uint64_t seed, std::uint64_t index, Split split) const {
  Dice dice({.seed = seed, .step = index, .stream = stream_named(name())});
  Example example = draw(dice);
  while (this->split(example) != split) {
    example = draw(dice);
  }
  return example;
}

std::string in_some_case(std::string text, Dice& dice) {
  const std::size_t roll = dice.below(10);
  for (char& letter : text) {
    const bool is_small = letter >= 'a' && letter <= 'z';
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    if ((roll == 0 && is_small) || ((roll == 1 || roll == 2) && is_capital)) {
      letter = static_cast<char>(letter ^ 0x20);
    }
  }
  return text;
}

}  // namespace heed
