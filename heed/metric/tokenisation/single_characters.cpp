// "不 是" → 不 是: every code point except blanks is a word.
#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"

namespace heed {
namespace {

class SingleCharacters : public Tokenisation {
 public:
  std::string_view name() const override { return "char"; }

  std::vector<std::u32string> tokens(std::u32string_view line) const override {
    std::vector<std::u32string> all;
    for (const char32_t code : line) {
      if (!is_blank(code)) {
        all.emplace_back(1, code);
      }
    }
    return all;
  }
};

}  // namespace

std::unique_ptr<Tokenisation> single_characters() { return std::make_unique<SingleCharacters>(); }

}  // namespace heed
