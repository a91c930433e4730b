// Beam search: of all continuations of all hypotheses the likeliest are kept; a beam of one is
// greedy.
#include "heed/search/strategies.h"

namespace heed {
namespace {

class BeamSearch : public Strategy {
 public:
  void prepare(const SearchOptions& options) override { width_ = kept_by(options); }
  int64_t width() const override { return width_; }
  Wanted wanted() const override {
    return {.best = width_ + 2};  // one may be the end, one the start
  }
  std::vector<Candidate> rank(const SentenceSearch& sentence, size_t beam,
                              const Next& next) override {
    return likeliest(sentence.beams[beam], next);
  }

 private:
  int64_t width_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> beam_strategy() { return std::make_unique<BeamSearch>(); }

}  // namespace heed
