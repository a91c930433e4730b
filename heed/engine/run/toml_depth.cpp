#include "heed/engine/run/toml_depth.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {
namespace {

/// Reads only the brackets and dots of TOML and skips strings and comments.
class Scan {
 public:
  Scan(std::string_view text, const std::string& who, std::size_t most)
      : text_(text), who_(who), most_(most) {}

  void run() {
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '"' || letter == '\'') {
        pass_string(letter);
      } else if (letter == '#') {
        pass_to('\n');
      } else {
        count(letter);
        ++at_;
      }
    }
  }

 private:
  void count(char letter) {
    switch (letter) {
      case '.':
        check(++dots_ + 1);
        break;
      case '[':
      case '{':
        dots_ = 0;
        check(++brackets_);
        break;
      case ']':
      case '}':
        dots_ = 0;
        brackets_ -= brackets_ > 0 ? 1 : 0;
        break;
      case '=':
      case ',':
      case '\n':
        dots_ = 0;
        break;
      default:
        break;
    }
  }

  /// Skips "…" and '…' on one line, and """…""" and '''…''' over several.
  void pass_string(char mark) {
    const std::string three(3, mark);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string_view close =
        is_long ? std::string_view(three) : std::string_view(three).substr(2);
    at_ += close.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(close)) {
      if (!is_long && text_[at_] == '\n') {
        return;  // toml++ reports what is wrong
      }
      at_ += mark == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ += close.size();
  }

  void pass_to(char end) { at_ = std::min(text_.find(end, at_), text_.size()); }

  void check(std::size_t levels) const {
    if (levels <= most_) {
      return;
    }
    std::size_t line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < at_; ++i) {
      if (text_[i] == '\n') {
        ++line;
        start = i + 1;
      }
    }
    fail(Fault::usage, "{}:{}:{}: there are more than {} levels; write fewer", who_, line,
         at_ - start + 1, most_);
  }

  std::string_view text_;
  const std::string& who_;
  std::size_t most_;
  std::size_t at_ = 0;
  std::size_t dots_ = 0;
  std::size_t brackets_ = 0;
};

}  // namespace

void check_toml_depth(std::string_view text, const std::string& who, std::size_t most_levels) {
  Scan(text, who, most_levels).run();
}

}  // namespace heed
