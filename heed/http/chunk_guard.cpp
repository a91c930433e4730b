#include "heed/http/chunk_guard.h"

#include "heed/http/letters.h"

namespace heed {

void ChunkGuard::next() {
  at_ = At::chunk_return;
  digits_ = 0;
  seen_ = 0;
  size_ = 0;
}

std::size_t ChunkGuard::look(std::string_view bytes) {
  while (seen_ < bytes.size() && !refusal_) {
    if (judge(bytes[seen_++])) {
      return seen_;
    }
  }
  return 0;
}

/// Whether the letter completes the line.
bool ChunkGuard::judge(char letter) {
  const auto expect = [&](char expected, At then, const char* reason) {
    if (letter != expected) {
      refusal_ = HttpRefusal{400, reason};
    }
    at_ = then;
  };
  switch (at_) {
    case At::chunk_return:
      expect('\r', At::chunk_newline, "a chunk is longer than it says");
      return false;
    case At::chunk_newline:
      expect('\n', At::digits, "a chunk is longer than it says");
      return false;
    case At::digits:
      if (hex_digit(letter) >= 0 && digits_ < 16) {
        size_ = size_ * 16 + static_cast<uint64_t>(hex_digit(letter));
        ++digits_;
      } else if (digits_ == 0 || hex_digit(letter) >= 0) {
        refusal_ = HttpRefusal{400, "the size of a chunk must be 1 to 16 hexadecimal digits"};
      } else {
        expect('\r', At::newline, "chunks have no extensions here");
      }
      return false;
    case At::newline:
      expect('\n', At::last_return, "the line of a chunk does not end in CRLF");
      return !refusal_ && size_ > 0;
    case At::last_return:
      expect('\r', At::last_newline,
             "there are trailers behind the last chunk; send fields before the body");
      return false;
    case At::last_newline:
      expect('\n', At::chunk_return, "the last chunk does not end in CRLF");
      return !refusal_;
  }
  return false;
}

}  // namespace heed
