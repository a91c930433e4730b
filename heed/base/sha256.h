// SHA-256 (FIPS 180-4) of bytes that come piece by piece, by OpenSSL's libcrypto.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct SHA256state_st;  // libcrypto's SHA256_CTX

namespace heed {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(const void* data, std::size_t bytes);
  Sha256& update(std::string_view text) { return update(text.data(), text.size()); }
  /// Ends the message; the object cannot be used after that.
  Digest finish();
  std::string finish_hex();

 private:
  std::unique_ptr<SHA256state_st> state_;
};

/// Lower-case hexadecimal of the SHA-256 of `text`.
std::string sha256_hex(std::string_view text);

}  // namespace heed
