// NumPy's default generator, so that samples equal sacreBLEU's: PCG XSL-RR 128/64 (O'Neill 2014),
// seeded by NumPy's SeedSequence (a mixing hash of four 32-bit words).
//
//     s ← s · m + c mod 2^128;   output = rotate_right(high(s) ^ low(s), s >> 122)
//
// Everything else in heed draws from Philox; here the signature promises NumPy's draws.
#pragma once

#include <array>
#include <cstdint>

namespace heed {

class Pcg64 {
 public:
  /// Equals numpy.random.default_rng(seed).
  explicit Pcg64(std::uint64_t seed);

  std::uint64_t bits64();
  /// The halves of bits64, the lower one first.
  std::uint32_t bits32();
  /// Uniform in [0, bound), 0 < bound < 2^32, by Lemire's method: Generator.integers and .choice.
  std::uint32_t below(std::uint32_t bound);

 private:
  /// A number of 128 bits, for which C++ has no type.
  struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    Wide operator+(Wide other) const;
    Wide operator*(Wide other) const;
  };

  void step();

  Wide state_;
  Wide increment_;
  std::uint32_t spare_ = 0;
  bool has_spare_ = false;
};

/// Bits one by one, as Generator.integers(2, dtype=bool) draws an array of them.
class Pcg64Bits {
 public:
  explicit Pcg64Bits(Pcg64& generator) : generator_(&generator) {}
  bool next();

 private:
  Pcg64* generator_;
  std::uint32_t word_ = 0;
  int left_ = 0;
};

}  // namespace heed
