#include "heed/nn/sentence_keys.h"

#include <vector>

#include "heed/base/philox.h"

namespace heed {
namespace {

Tensor keys_of(const std::vector<int32_t>& numbers, const Place& place) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size()) / 3, 3}, place.with(DType::i32));
}

}  // namespace

std::array<int32_t, 2> sentence_key(uint64_t seed, uint64_t number, uint64_t sample) {
  const uint64_t bits = Draws(RandomKey{seed, number, sample}).bits64(0);
  return {static_cast<int32_t>(bits), static_cast<int32_t>(bits >> 32)};
}

void begin_positions(Pass& pass, const Layout& layout, const Place& place) {
  if (pass.sentence_keys().empty()) {
    return;
  }
  require(pass.sentence_keys().size() == layout.lengths().size(),
          "pass: saw keys of {} sentences, needs {}", pass.sentence_keys().size(),
          layout.lengths().size());
  std::vector<int32_t> numbers(static_cast<size_t>(3 * layout.rows()), 0);
  for (size_t b = 0; b < layout.lengths().size(); ++b) {
    const auto& [low, high] = pass.sentence_keys()[b];
    for (int32_t i = 0; i < layout.lengths()[b]; ++i) {
      const auto at = 3 * static_cast<size_t>(layout.starts()[b] + i);
      numbers[at] = low;
      numbers[at + 1] = high;
      numbers[at + 2] = i;
    }
  }
  pass.begin_step(keys_of(numbers, place));
}

void begin_position(Pass& pass, int64_t position, const Place& place) {
  if (pass.sentence_keys().empty()) {
    return;
  }
  std::vector<int32_t> numbers;
  for (const auto& [low, high] : pass.sentence_keys()) {
    numbers.insert(numbers.end(), {low, high, static_cast<int32_t>(position)});
  }
  pass.begin_step(keys_of(numbers, place));
}

}  // namespace heed
