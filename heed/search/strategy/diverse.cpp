// Diverse beam search (Vijayakumar 2016): G groups of beam/G hypotheses, one after another at each
// step; a word that earlier groups chose at this step costs λ for each time.
//
//   merit = log p(Y) − λ · #(the word among earlier groups' choices at this position)
//
// log p itself stays the model's, so finished hypotheses of all groups are compared fairly.
#include <algorithm>
#include <map>

#include "heed/search/strategies.h"

namespace heed {
namespace {

class DiverseGroups : public Strategy {
 public:
  void prepare(const SearchOptions& options) override {
    if (options.groups < 1 || options.beam % options.groups != 0) {
      fail(Fault::usage,
           "diverse: saw {} groups of a beam of {}, needs groups of equal size; "
           "choose a beam that is a multiple of them",
           options.groups, options.beam);
    }
    groups_ = options.groups;
    beam_ = kept_by(options);
    diversity_ = options.diversity;
  }
  int64_t beams() const override { return groups_; }
  int64_t width() const override { return beam_ / groups_; }
  Wanted wanted() const override {
    return {.best = 2 * beam_ + 2};  // as many as may be charged, and as many again that are not
  }
  std::vector<Candidate> rank(const SentenceSearch& sentence, size_t beam,
                              const Next& next) override {
    if (&sentence != sentence_ || sentence.said != position_) {
      said_.clear();
      sentence_ = &sentence;
      position_ = sentence.said;
    }
    std::vector<Candidate> candidates = likeliest(sentence.beams[beam], next);
    for (Candidate& candidate : candidates) {
      const auto times = said_.find(candidate.id);
      candidate.merit -= times == said_.end() ? 0 : diversity_ * times->second;
    }
    sort_by_merit(candidates);
    const size_t kept = std::min(candidates.size(), static_cast<size_t>(width()));
    for (size_t i = 0; i < kept; ++i) {
      ++said_[candidates[i].id];
    }
    return candidates;
  }

 private:
  int64_t groups_ = 1;
  int64_t beam_ = 1;
  double diversity_ = 0;
  const SentenceSearch* sentence_ = nullptr;  // what `said_` is of
  int64_t position_ = -1;
  std::map<int32_t, double> said_;  // by the groups before
};

}  // namespace

std::unique_ptr<Strategy> diverse_strategy() { return std::make_unique<DiverseGroups>(); }

}  // namespace heed
