// No output has fewer than n words: the end token may not follow fewer.
#include "heed/search/rules.h"

namespace heed {
namespace {

class MinLength : public Rule {
 public:
  void describe(Describer& d) override {
    d.setting(
        "min_length", least_,
        {.help = "fewest tokens in an output: words, characters or subwords, as the model has them",
         .least = 0,
         .most = 1'000'000});
  }
  std::unique_ptr<Rule> copy() const override { return std::make_unique<MinLength>(*this); }
  bool is_on() const override { return least_ > 0; }
  int64_t least_words() const override { return least_; }
  void close(std::span<const TokenId> said, const SpecialTokens& specials,
             std::vector<TokenId>& closed) const override {
    if (static_cast<int64_t>(said.size()) < least_) {
      closed.push_back(specials.end());
    }
  }

 private:
  int64_t least_ = 0;
};

}  // namespace

std::unique_ptr<Rule> min_length_rule() { return std::make_unique<MinLength>(); }

}  // namespace heed
