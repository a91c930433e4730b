// SHA-256 (FIPS 180-4), incremental, by the CPU's SHA instructions where it has them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  /// Compresses `blocks` blocks of 64 bytes into the eight words of state.
  using Compress = void (*)(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks);

  Sha256() : Sha256(fastest()) {}
  /// With a given compression, for the test that compares them.
  explicit Sha256(Compress compress) : compress_(compress) {}

  Sha256& update(const void* data, std::size_t bytes);
  Sha256& update(std::string_view text) { return update(text.data(), text.size()); }
  /// Ends the message; the object cannot be used after that.
  Digest finish();
  std::string finish_hex();

  /// Plain C++, as the standard has it.
  static Compress plain();
  /// The CPU's instructions, or null where it has none.
  static Compress hardware();
  /// Eight blocks at a time in vectors, which every CPU can; faster than plain.
  static Compress in_lanes();
  static Compress fastest();

 private:
  Compress compress_;
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t bytes_ = 0;
};

/// Lower-case hexadecimal of the SHA-256 of `text`.
std::string sha256_hex(std::string_view text);

}  // namespace heed
