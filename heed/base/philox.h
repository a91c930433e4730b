// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as
// easy as 1, 2, 3").
//
//   block(counter) = ten rounds of
//     (L0, R0, L1, R1) -> (hi(M1 L1) ^ R0 ^ k0, lo(M1 L1), hi(M0 L0) ^ R1 ^ k1, lo(M0 L0))
//
// There is no hidden state. A draw is named by (seed, step, stream, element): seed and stream are
// mixed into the key, the step is the upper half of the counter and the element index gives the
// lower half. So element e of a tensor draws the same number however the tensor is chunked, and a
// resumed run equals an uninterrupted one.
//
// Device code shares this header: everything is constexpr except what needs √, log, cos and sin
// (which M supplies), and no other library is used.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace heed {

/// The bare generator: 128 bits of counter to 128 random bits, one bijection per 64-bit key.
struct Philox {
  std::uint64_t key = 0;

  using Block = std::array<std::uint32_t, 4>;

  /// The four words for the counter high * 2^64 + low.
  constexpr Block operator()(std::uint64_t low, std::uint64_t high = 0) const {
    std::uint32_t a = static_cast<std::uint32_t>(low);
    std::uint32_t b = static_cast<std::uint32_t>(low >> 32);
    std::uint32_t c = static_cast<std::uint32_t>(high);
    std::uint32_t d = static_cast<std::uint32_t>(high >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(key);
    std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t left = std::uint64_t{0xD2511F53U} * a;
      const std::uint64_t right = std::uint64_t{0xCD9E8D57U} * c;
      a = static_cast<std::uint32_t>(right >> 32) ^ b ^ k0;
      c = static_cast<std::uint32_t>(left >> 32) ^ d ^ k1;
      b = static_cast<std::uint32_t>(right);
      d = static_cast<std::uint32_t>(left);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    return {a, b, c, d};
  }
};

constexpr std::uint64_t join_words(std::uint32_t low, std::uint32_t high) {
  return std::uint64_t{high} << 32 | low;
}

/// [0, 1) in steps of 2^-24: every value is exact in float.
constexpr float unit_float(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }
/// (0, 1], safe under a logarithm; 32 bits, so the small values keep their resolution.
constexpr float unit_float_above_zero(std::uint32_t bits) {
  return (static_cast<float>(bits) + 1.0F) * 0x1p-32F;
}
/// [0, 1) in steps of 2^-53.
constexpr double unit_double(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}
/// (0, 1] in steps of 2^-53.
constexpr double unit_double_above_zero(std::uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

/// The C library's functions.
struct StandardMath {
  template <class Real>
  static Real sqrt(Real x) {
    return std::sqrt(x);
  }
  template <class Real>
  static Real log(Real x) {
    return std::log(x);
  }
  template <class Real>
  static Real cos(Real x) {
    return std::cos(x);
  }
  template <class Real>
  static Real sin(Real x) {
    return std::sin(x);
  }
};

/// Two independent standard normals from u in (0, 1] and v in [0, 1): sqrt(-2 ln u) (cos 2 pi v,
/// sin 2 pi v).
template <class M, class Real>
constexpr std::array<Real, 2> box_muller(Real u, Real v) {
  const Real radius = M::sqrt(Real{-2} * M::log(u));
  const Real angle = Real{2} * std::numbers::pi_v<Real> * v;
  return {radius * M::cos(angle), radius * M::sin(angle)};
}

/// Names all draws of a tensor. The step is whatever counts up: the training step, the epoch or the
/// sentence.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint64_t stream = 0;  // which of the draws that share seed and step
};

/// A stream from a name such as "encoder.0.dropout" (FNV-1a, 64 bits).
constexpr std::uint64_t stream_named(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  }
  return hash;
}

/// The draws of one RandomKey, by element index. Draws of different types at one element are not
/// independent.
class Draws {
 public:
  constexpr explicit Draws(const RandomKey& key)
      : philox_{mix(key.seed, key.stream)}, step_(key.step) {}

  /// What a kernel needs: block b of element words is philox()(b, step()), element e is word e % 4
  /// of block e / 4.
  constexpr const Philox& philox() const { return philox_; }
  constexpr std::uint64_t step() const { return step_; }
  constexpr Philox::Block block(std::uint64_t index) const { return philox_(index, step_); }

  constexpr std::uint32_t bits(std::uint64_t element) const {
    return block(element / 4)[element % 4];
  }
  constexpr std::uint64_t bits64(std::uint64_t element) const {
    const Philox::Block words = block(element / 2);
    return element % 2 == 0 ? join_words(words[0], words[1]) : join_words(words[2], words[3]);
  }

  /// Uniform in [0, 1).
  constexpr float uniform(std::uint64_t element) const { return unit_float(bits(element)); }
  constexpr double uniform_double(std::uint64_t element) const {
    return unit_double(bits64(element));
  }

  /// Standard normal; words 0 and 1 of a block give elements 0 and 1, words 2 and 3 give elements 2
  /// and 3.
  template <class M = StandardMath>
  constexpr float normal(std::uint64_t element) const {
    return normals<M>(element / 4)[element % 4];
  }
  template <class M = StandardMath>
  constexpr double normal_double(std::uint64_t element) const {
    const Philox::Block words = block(element);
    return box_muller<M>(unit_double_above_zero(join_words(words[0], words[1])),
                         unit_double(join_words(words[2], words[3])))[0];
  }
  /// The four normals of elements 4 index .. 4 index + 3.
  template <class M = StandardMath>
  constexpr std::array<float, 4> normals(std::uint64_t index) const {
    const Philox::Block words = block(index);
    const auto front = box_muller<M>(unit_float_above_zero(words[0]), unit_float(words[1]));
    const auto back = box_muller<M>(unit_float_above_zero(words[2]), unit_float(words[3]));
    return {front[0], front[1], back[0], back[1]};
  }

  /// Uniform integer in [0, bound), bound > 0, without bias: draws below 2^64 mod bound are refused
  /// and drawn anew.
  constexpr std::uint64_t below(std::uint64_t element, std::uint64_t bound) const {
    const std::uint64_t refused = (0 - bound) % bound;
    std::uint64_t word = bits64(element);
    for (std::uint64_t attempt = 1; word < refused; ++attempt) {
      const Philox::Block words = Philox{mix(philox_.key, attempt)}(element, step_);
      word = join_words(words[0], words[1]);
    }
    return word % bound;
  }

 private:
  static constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t salt) {
    const Philox::Block words = Philox{key}(salt, 0x6865656464726177U);
    return join_words(words[0], words[1]);
  }

  Philox philox_;
  std::uint64_t step_;
};

}  // namespace heed
