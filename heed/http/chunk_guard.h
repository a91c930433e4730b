// Reads the lines between the chunks of a body before a parser does (RFC 9112, section 7.1):
//
//   chunk = size CRLF bytes CRLF     last = 0 CRLF CRLF     size: 1 to 16 hexadecimal digits
//
// Extensions and trailers are refused: nobody here needs them, and a parser would keep any number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heed/http/status.h"

namespace heed {

class ChunkGuard {
 public:
  /// Goes on in `bytes`, which begin after the bytes of a chunk or after the head. Returns how long
  /// the line is, with the CRLF that ends the chunk before it, as soon as it is complete, and 0 before.
  std::size_t look(std::string_view bytes);
  /// Of the line that has just become complete; 0: it ends the body.
  uint64_t size() const { return size_; }
  const std::optional<HttpRefusal>& refusal() const { return refusal_; }
  /// The bytes of the chunk have come.
  void next();

 private:
  enum class At { chunk_return, chunk_newline, digits, newline, last_return, last_newline };
  bool judge(char letter);

  At at_ = At::digits;
  int digits_ = 0;
  std::size_t seen_ = 0;
  uint64_t size_ = 0;
  std::optional<HttpRefusal> refusal_;
};

}  // namespace heed
