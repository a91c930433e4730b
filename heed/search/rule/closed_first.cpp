// Tokens with which no output begins. The end token among them means that no output is empty.
#include "heed/search/rules.h"

namespace heed {
namespace {

class ClosedFirst : public Rule {
 public:
  void describe(Describer& d) override {
    d.setting("closed_first", tokens_,
              {.help = "tokens, by their numbers, that no output begins with, such as 1,2,7",
               .least = 0,
               .most = most_token});
  }
  std::unique_ptr<Rule> copy() const override { return std::make_unique<ClosedFirst>(*this); }
  bool is_on() const override { return !tokens_.empty(); }
  void close(std::span<const TokenId> said, const SpecialTokens&,
             std::vector<TokenId>& closed) const override {
    for (const int64_t token : said.empty() ? tokens_ : std::vector<int64_t>()) {
      closed.push_back(static_cast<TokenId>(token));
    }
  }

 private:
  std::vector<int64_t> tokens_ = {};
};

}  // namespace

std::unique_ptr<Rule> closed_first_rule() { return std::make_unique<ClosedFirst>(); }

}  // namespace heed
