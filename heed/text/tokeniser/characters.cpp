// "中文!" → 中, 文, ! → "中文!": one token for each code point, blanks included, joined by nothing.
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class Characters : public Tokeniser {
 public:
  std::string_view name() const override { return "characters"; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8("characters", text);
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t length = decode_utf8(text, at).length;
      tokens.emplace_back(text.substr(at, length));
      at += length;
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += token;
    }
    return text;
  }

  bool yields(std::string_view token) const override {
    return !token.empty() && decode_utf8(token, 0).length == token.size();
  }
};

}  // namespace

std::unique_ptr<Tokeniser> characters() { return std::make_unique<Characters>(); }

}  // namespace heed
