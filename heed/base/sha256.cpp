#include "heed/base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "heed/base/sha256_rounds.h"

namespace heed {
namespace {

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

void compress_plain(std::uint32_t* state, const std::uint8_t* data, std::size_t blocks) {
  for (; blocks > 0; --blocks, data += 64) {
    std::uint32_t w[64];
    for (std::size_t t = 0; t < 16; ++t) {
      w[t] = big_endian(data + 4 * t);
    }
    for (std::size_t t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15];
      const std::uint32_t y = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    std::array<std::uint32_t, 8> v{};
    std::copy_n(state, 8, v.begin());
    for (int t = 0; t < 64; ++t) {
      auto& [a, b, c, d, e, f, g, h] = v;
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + sha256_rounds[t] + w[t];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      v = {t1 + t2, a, b, c, d + t1, e, f, g};
    }
    for (int i = 0; i < 8; ++i) {
      state[i] += v[i];
    }
  }
}

}  // namespace

Sha256::Compress Sha256::plain() { return compress_plain; }

Sha256::Compress Sha256::fastest() {
  static const Compress chosen = hardware() != nullptr ? hardware() : in_lanes();
  return chosen;
}

Sha256& Sha256::update(const void* data, std::size_t bytes) {
  if (bytes == 0) {
    return *this;
  }
  const auto* next = static_cast<const std::uint8_t*>(data);
  const std::size_t held = bytes_ % 64;
  bytes_ += bytes;
  if (held > 0) {
    const std::size_t taken = std::min(bytes, 64 - held);
    std::memcpy(pending_.data() + held, next, taken);
    next += taken;
    bytes -= taken;
    if (held + taken < 64) {
      return *this;
    }
    compress_(state_.data(), pending_.data(), 1);
  }
  compress_(state_.data(), next, bytes / 64);
  std::copy_n(next + bytes / 64 * 64, bytes % 64, pending_.data());
  return *this;
}

Sha256::Digest Sha256::finish() {
  // Pad with 1, zeros and the length in bits, big-endian, to a multiple of 64 bytes.
  const std::uint64_t bits = bytes_ * 8;
  std::array<std::uint8_t, 72> padding{0x80};
  const std::size_t zeros_end = (bytes_ % 64 < 56 ? 56 : 120) - bytes_ % 64;
  for (std::size_t i = 0; i < 8; ++i) {
    padding[zeros_end + i] = static_cast<std::uint8_t>(bits >> (56 - 8 * i));
  }
  update(padding.data(), zeros_end + 8);
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Sha256::finish_hex() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : finish()) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view text) { return Sha256().update(text).finish_hex(); }

}  // namespace heed
