#include "heed/search/strategy.h"

#include "heed/search/sentence_settings.h"
#include "heed/search/strategies.h"

namespace heed {

void Strategy::set_specials(const SpecialTokens& specials, std::vector<TokenId> suppressed) {
  specials_ = specials;
  suppressed_ = std::move(suppressed);
}

Chosen Strategy::choose(const StepScores& scores) {
  if (width() == 1) {
    return scores.frontier.in_order(scores.words);
  }
  const Candidates all = scores.frontier.candidates(scores.words);
  return best_of(all, all.total, most_chosen());
}

StrategyList::StrategyList() : OneOfEach(strategies()) {}

const Strategy& StrategyList::at(std::string_view name) const {
  const std::string& own = strategies().at(name).name;
  for (const auto& one : *this) {
    if (one->kind() == own) {
      return *one;
    }
  }
  fail("search: saw the strategy {}, which came after these settings", name);
}

int64_t kept_by(const SentenceSettings& settings) {
  if (settings.n_best > settings.beam) {
    fail(Fault::usage, "search: of a beam of {} there cannot be {} best; choose 1 ≤ n-best ≤ beam",
         settings.beam, settings.n_best);
  }
  return settings.beam;
}

}  // namespace heed
