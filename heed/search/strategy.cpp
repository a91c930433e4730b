#include "heed/search/strategy.h"

#include "heed/search/sentence_settings.h"

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

std::vector<Candidate> Strategy::rank(const SentenceSearch&, const Beam&, const HostWords&) {
  fail("search: saw a strategy that does not rank on the host asked to do so");
}

int64_t kept_by(const SentenceSettings& settings) {
  if (settings.n_best > settings.beam) {
    fail(Fault::usage, "search: of a beam of {} there cannot be {} best; choose 1 ≤ n-best ≤ beam",
         settings.beam, settings.n_best);
  }
  return settings.beam;
}

}  // namespace heed
