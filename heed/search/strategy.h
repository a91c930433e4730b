// Which continuations a search keeps.
#pragma once

#include "heed/search/beam.h"
#include "heed/search/next.h"

namespace heed {

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Takes what it needs of the options, or refuses them with Fault::usage.
  virtual void prepare(const SearchOptions& options) = 0;
  /// Beams of a sentence, which do not compete with each other, and how many hypotheses each keeps.
  virtual int64_t beams() const { return 1; }
  virtual int64_t width() const = 0;
  virtual Wanted wanted() const = 0;
  /// Continuations of a sentence's beam, those to keep first; never the start token. Of the first
  /// `width` those that end are finished, and the first `width` that go on, go on.
  virtual std::vector<Candidate> rank(const SentenceSearch& sentence, size_t beam,
                                      const Next& next) = 0;
};

/// How many hypotheses a beam keeps; Fault::usage where more are to be handed out.
int64_t kept_by(const SearchOptions& options);
/// Every live hypothesis with each of its likeliest words, the likeliest first: what most
/// strategies start from.
std::vector<Candidate> likeliest(const Beam& beam, const Next& next);
/// Best merit first; equals keep their order.
void sort_by_merit(std::vector<Candidate>& candidates);

}  // namespace heed
