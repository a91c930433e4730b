// Tokens that no output contains.
#include "heed/search/rules.h"

namespace heed {
namespace {

class Closed : public Rule {
 public:
  void describe(Describer& d) override {
    d.setting("closed", tokens_,
              {.help = "tokens, by their numbers, that no output contains, such as 1,2,7",
               .least = 0,
               .most = most_token});
  }
  std::unique_ptr<Rule> copy() const override { return std::make_unique<Closed>(*this); }
  bool is_on() const override { return !tokens_.empty(); }
  void close(std::span<const TokenId>, const SpecialTokens&,
             std::vector<TokenId>& closed) const override {
    for (const int64_t token : tokens_) {
      closed.push_back(static_cast<TokenId>(token));
    }
  }

 private:
  std::vector<int64_t> tokens_ = {};
};

}  // namespace

std::unique_ptr<Rule> closed_rule() { return std::make_unique<Closed>(); }

}  // namespace heed
