#include "heed/search/strategy.h"

#include "heed/search/search.h"

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

int64_t kept_by(const SearchOptions& options) {
  if (options.n_best > options.beam) {
    fail(Fault::usage, "search: of a beam of {} there cannot be {} best; choose 1 ≤ n-best ≤ beam",
         options.beam, options.n_best);
  }
  return options.beam;
}

}  // namespace heed
