// A rule of a search says which words may not follow a hypothesis. It sees the words so far, and a
// closed word is passed over; the log-probabilities of the others stay as the model gave them, as in
// Marian and fairseq. Words of a prefix and of phrases that an output must contain obey no rule.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "heed/config/described.h"
#include "heed/search/one_of_each.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The largest number that a token may have in a setting.
inline constexpr int64_t most_token = std::numeric_limits<TokenId>::max();

/// `describe` names the rule's settings, which are settings of every search and options of the
/// command line.
class Rule : public Described {
 public:
  virtual std::unique_ptr<Rule> copy() const = 0;
  /// Whether its settings ask for anything.
  virtual bool is_on() const = 0;
  /// The number of words that it asks of every output; the limit of length leaves room for them.
  virtual int64_t least_words() const { return 0; }
  /// Appends the words that may not follow `said`.
  virtual void close(std::span<const TokenId> said, const SpecialTokens& specials,
                     std::vector<TokenId>& closed) const = 0;
};

class RuleList : public OneOfEach<Rule> {
 public:
  RuleList();

  /// The first rule that is on; null: none is.
  const Rule* first_on() const;
  int64_t least_words() const;
  /// The words that some rule closes, each once, ascending.
  std::vector<TokenId> closed(std::span<const TokenId> said, const SpecialTokens& specials) const;
};

}  // namespace heed
