#include "heed/search/strategy.h"

#include <algorithm>

#include "heed/text/vocabulary.h"

namespace heed {

int64_t kept_by(const SearchOptions& options) {
  if (options.n_best > options.beam) {
    fail(Fault::usage, "search: saw beam {} and {} best, needs 1 ≤ n-best ≤ beam", options.beam,
         options.n_best);
  }
  return options.beam;
}

std::vector<Candidate> likeliest(const Beam& beam, const Next& next) {
  std::vector<Candidate> all;
  all.reserve(beam.live.size() * static_cast<size_t>(next.count()));
  for (size_t h = 0; h < beam.live.size(); ++h) {
    const Live& live = beam.live[h];
    for (int64_t rank = 0; rank < next.count(); ++rank) {
      const Next::Word word = next.best(live.row, rank);
      if (word.id != Vocabulary::start) {
        const double log_p = live.said.log_probability + word.log_probability;
        all.push_back({log_p, h, word.id, log_p});
      }
    }
  }
  sort_by_merit(all);
  return all;
}

void sort_by_merit(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.merit > b.merit; });
}

}  // namespace heed
