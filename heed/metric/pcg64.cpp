#include "heed/metric/pcg64.h"

#include <bit>

namespace heed {
namespace {

/// A hash whose constant changes with every use.
class Hash {
 public:
  Hash(std::uint32_t start, std::uint32_t factor) : constant_(start), factor_(factor) {}
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= factor_;
    value *= constant_;
    return value ^ (value >> 16U);
  }

 private:
  std::uint32_t constant_;
  std::uint32_t factor_;
};

std::uint32_t mix(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t mixed = 0xCA01F9DDU * x - 0x4973F715U * y;
  return mixed ^ (mixed >> 16U);
}

/// SeedSequence(seed).generate_state(4, uint64)
std::array<std::uint64_t, 4> spread(std::uint64_t seed) {
  std::array<std::uint32_t, 4> pool = {static_cast<std::uint32_t>(seed),
                                       static_cast<std::uint32_t>(seed >> 32U), 0, 0};
  Hash enter(0x43B0D7E5U, 0x931E8875U);
  for (std::uint32_t& word : pool) {
    word = enter(word);
  }
  for (std::size_t from = 0; from < pool.size(); ++from) {
    for (std::size_t to = 0; to < pool.size(); ++to) {
      if (from != to) {
        pool[to] = mix(pool[to], enter(pool[from]));
      }
    }
  }
  Hash leave(0x8B51F9DDU, 0x58F38DEDU);
  std::array<std::uint64_t, 4> state{};
  for (std::size_t i = 0; i < 2 * state.size(); ++i) {
    state[i / 2] |= std::uint64_t{leave(pool[i % pool.size()])} << (32U * (i % 2));
  }
  return state;
}

}  // namespace

Pcg64::Wide Pcg64::Wide::operator+(Wide other) const {
  const std::uint64_t sum = low + other.low;
  return {high + other.high + (sum < low ? 1 : 0), sum};
}

Pcg64::Wide Pcg64::Wide::operator*(Wide other) const {
  // The low words are multiplied by halves. Of the other products only the part below 2^128 counts.
  const std::uint64_t a0 = low & 0xFFFFFFFFU;
  const std::uint64_t a1 = low >> 32U;
  const std::uint64_t b0 = other.low & 0xFFFFFFFFU;
  const std::uint64_t b1 = other.low >> 32U;
  const std::uint64_t right = a0 * b0;
  const std::uint64_t cross = a1 * b0 + (right >> 32U);
  const std::uint64_t middle = a0 * b1 + (cross & 0xFFFFFFFFU);
  const std::uint64_t left = a1 * b1 + (cross >> 32U) + (middle >> 32U);
  return {left + high * other.low + low * other.high, (middle << 32U) | (right & 0xFFFFFFFFU)};
}

Pcg64::Pcg64(std::uint64_t seed) {
  const auto words = spread(seed);
  increment_ = {(words[2] << 1U) | (words[3] >> 63U), (words[3] << 1U) | 1U};
  step();
  state_ = state_ + Wide{words[0], words[1]};
  step();
}

void Pcg64::step() {
  constexpr Wide multiplier = {2549297995355413924U, 4865540595714422341U};
  state_ = state_ * multiplier + increment_;
}

std::uint64_t Pcg64::bits64() {
  step();
  return std::rotr(state_.high ^ state_.low, static_cast<int>(state_.high >> 58U));
}

std::uint32_t Pcg64::bits32() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const std::uint64_t word = bits64();
  spare_ = static_cast<std::uint32_t>(word >> 32U);
  has_spare_ = true;
  return static_cast<std::uint32_t>(word);
}

std::uint32_t Pcg64::below(std::uint32_t bound) {
  if (bound == 1) {
    return 0;  // NumPy draws nothing where there is no choice
  }
  const std::uint32_t refused = (0 - bound) % bound;
  std::uint64_t product = std::uint64_t{bits32()} * bound;
  while (static_cast<std::uint32_t>(product) < refused) {
    product = std::uint64_t{bits32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32U);
}

bool Pcg64Bits::next() {
  if (left_ == 0) {
    word_ = generator_->bits32();
    left_ = 32;
  } else {
    word_ >>= 1U;
  }
  --left_;
  return (word_ & 1U) != 0;
}

}  // namespace heed
