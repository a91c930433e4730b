// No n-gram occurs twice in an output (Paulus, Xiong & Socher 2018, section 2.5): a word is closed if
// it stood after the last n − 1 words before. With n = 1 no word occurs twice.
#include <algorithm>

#include "heed/search/rules.h"

namespace heed {
namespace {

class NoRepeatNgram : public Rule {
 public:
  void describe(Describer& d) override {
    d.setting("no_repeat_ngram", size_,
              {.help = "no sequence of this many tokens (words, characters or subwords, as the "
                       "model has them) occurs twice in an output; 0: no limit",
               .least = 0,
               .most = 1000});
  }
  std::unique_ptr<Rule> copy() const override { return std::make_unique<NoRepeatNgram>(*this); }
  bool is_on() const override { return size_ > 0; }
  void close(std::span<const TokenId> said, const SpecialTokens&,
             std::vector<TokenId>& closed) const override {
    const auto context = static_cast<size_t>(size_ - 1);
    if (said.size() < context) {
      return;
    }
    const auto last = said.last(context);
    for (size_t first = 0; first + context < said.size(); ++first) {
      const auto before = said.subspan(first, context);
      if (std::equal(before.begin(), before.end(), last.begin())) {
        closed.push_back(said[first + context]);
      }
    }
  }

 private:
  int64_t size_ = 0;
};

}  // namespace

std::unique_ptr<Rule> no_repeat_ngram_rule() { return std::make_unique<NoRepeatNgram>(); }

}  // namespace heed
