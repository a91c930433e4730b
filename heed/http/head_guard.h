// Reads the head of a request byte by byte before a parser does, and refuses what parsers disagree about:
// lines that do not end in CRLF, control letters, folded fields, names with blanks, targets that are no path,
// methods and versions that nobody serves (RFC 9112, sections 2 to 5).
//
// It judges every byte once and in order, so a head is judged in the same way however its bytes arrive.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "heed/http/limits.h"
#include "heed/http/status.h"

namespace heed {

class HeadGuard {
 public:
  explicit HeadGuard(const HttpLimits& limits) : limits_(&limits) {}

  /// Goes on in `bytes`, which begin where the head begins. Returns how long the head is as soon as
  /// it is complete, and 0 before.
  std::size_t look(std::string_view bytes);
  const std::optional<HttpRefusal>& refusal() const { return refusal_; }
  /// The letters before the head that are none of its own: one empty line is allowed there.
  std::size_t skipped() const { return skipped_; }

 private:
  std::size_t refuse(int status, const char* reason);
  void judge_line(std::string_view line);
  void judge_request_line(std::string_view line);
  void judge_field(std::string_view line);

  const HttpLimits* limits_;
  std::size_t seen_ = 0;  // bytes that are judged
  std::size_t line_ = 0;  // where the present line begins
  std::size_t skipped_ = 0;
  std::int64_t lines_ = 0;  // complete ones, the request line among them
  std::optional<HttpRefusal> refusal_;
};

}  // namespace heed
