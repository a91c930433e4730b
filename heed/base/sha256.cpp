#include "heed/base/sha256.h"

// The functions of one algorithm ask for no provider and no table of algorithms, which would take
// longer to set up than a small file to hash.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace heed {

Sha256::Sha256() : state_(std::make_unique<SHA256_CTX>()) { SHA256_Init(state_.get()); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(const void* data, std::size_t bytes) {
  SHA256_Update(state_.get(), data, bytes);
  return *this;
}

Sha256::Digest Sha256::finish() {
  Digest digest{};
  SHA256_Final(digest.data(), state_.get());
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
