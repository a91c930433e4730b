// "é!" → <0xC3>, <0xA9>, <0x21> → "é!": every byte of UTF-8 is a token, and all 256 are in the
// vocabulary.
#include "heed/text/byte_token.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class Bytes : public Tokeniser {
 public:
  std::string_view name() const override { return "bytes"; }

  std::vector<std::string> split(std::string_view text) const override {
    check_utf8("bytes", text);
    std::vector<std::string> tokens;
    tokens.reserve(text.size());
    for (const char byte : text) {
      tokens.push_back(byte_token(static_cast<std::uint8_t>(byte)));
    }
    return tokens;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (const std::string& token : tokens) {
      text += surface(token);
    }
    return repaired_utf8(text);
  }

  std::string surface(std::string_view token) const override {
    const auto byte = byte_of_token(token);
    return byte ? std::string(1, static_cast<char>(*byte)) : std::string(token);
  }

  bool yields(std::string_view token) const override { return byte_of_token(token).has_value(); }

  bool learns() const override { return true; }

  std::vector<std::string> learn(std::span<const std::string> texts,
                                 const VocabularyLimits& limits) override {
    static_cast<void>(texts);
    static_cast<void>(limits);
    std::vector<std::string> all;
    for (unsigned byte = 0; byte < 256; ++byte) {
      all.push_back(byte_token(static_cast<std::uint8_t>(byte)));
    }
    return all;
  }
};

}  // namespace

std::unique_ptr<Tokeniser> bytes() { return std::make_unique<Bytes>(); }

}  // namespace heed
