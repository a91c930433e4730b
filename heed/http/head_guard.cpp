#include "heed/http/head_guard.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/http/letters.h"

namespace heed {
namespace {

constexpr std::array<std::string_view, 9> methods{"GET",     "HEAD",  "POST",  "PUT",    "DELETE",
                                                  "OPTIONS", "PATCH", "TRACE", "CONNECT"};

bool is_target_letter(char letter) { return letter > ' ' && letter < 0x7F && letter != '#'; }

}  // namespace

std::size_t HeadGuard::refuse(int status, const char* reason) {
  refusal_ = HttpRefusal{status, reason};
  return 0;
}

std::size_t HeadGuard::look(std::string_view bytes) {
  while (seen_ < bytes.size() && !refusal_) {
    const char letter = bytes[seen_];
    const bool after_return = seen_ > line_ && bytes[seen_ - 1] == '\r';
    if (seen_ == 0 && letter == 0x16) {
      return refuse(400,
                    "this is HTTP, and the client speaks TLS; use http:// in place of https://");
    }
    if (seen_++ - skipped_ == static_cast<std::size_t>(limits_->header_bytes)) {
      return lines_ == 0 ? refuse(414, "the request line is too long")
                         : refuse(431, "the fields are too long");
    }
    if (after_return != (letter == '\n')) {
      return refuse(400, "a line of the head does not end in CRLF");
    }
    if (letter == '\n') {
      const std::string_view line = bytes.substr(line_, seen_ - 2 - line_);
      line_ = seen_;
      if (!line.empty()) {
        judge_line(line);
      } else if (lines_ > 0) {
        return seen_;
      } else if (skipped_ > 0) {
        return refuse(400, "there are empty lines before the request");
      } else {
        skipped_ = seen_;
      }
    } else if (letter != '\r' && is_control(letter)) {
      return refuse(400, "there are control letters in the head");
    } else if (lines_ == 0 && seen_ == line_ + 1 && letter != '\r' && !is_token_letter(letter)) {
      return refuse(400, "the request does not begin with a method");
    }
  }
  return 0;
}

void HeadGuard::judge_line(std::string_view line) {
  if (lines_++ == 0) {
    judge_request_line(line);
  } else if (lines_ - 1 > limits_->header_fields) {
    refuse(431, "there are too many fields");
  } else {
    judge_field(line);
  }
}

/// METHOD SP target SP HTTP/1.x
void HeadGuard::judge_request_line(std::string_view line) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  if (first == last || !is_token(method)) {
    refuse(400, "the request line is not METHOD, target and HTTP/1.1 with a blank between them");
    return;
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const bool is_version = version.size() == 8 && version.substr(0, 5) == "HTTP/" &&
                          is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  if (!is_version) {
    refuse(400, "the request line does not end in HTTP/1.1");
  } else if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    refuse(505, "the version of HTTP must be 1.1 or 1.0");
  } else if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
    refuse(501, "the method is unknown; methods are written in capitals");
  } else if (target.empty() || target.front() != '/') {
    refuse(400, "the target must be a path, which begins with /");
  } else if (!std::all_of(target.begin(), target.end(), is_target_letter)) {
    refuse(400, "the target has letters that must be written as %XX");
  }
}

/// name: value
void HeadGuard::judge_field(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    refuse(400, "a field is folded over several lines");
  } else if (line.find(':') == std::string_view::npos ||
             !is_token(line.substr(0, line.find(':')))) {
    refuse(400, "a field is not a name, a colon and a value");
  }
}

}  // namespace heed
