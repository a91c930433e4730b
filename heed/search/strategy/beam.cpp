// Beam search keeps the likeliest of all continuations of all hypotheses; a beam of one is greedy.
#include "heed/search/search.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

class BeamSearch : public Strategy {
 public:
  void prepare(const SearchOptions& options) override { width_ = kept_by(options); }
  int64_t width() const override { return width_; }

 private:
  int64_t width_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> beam_strategy() { return std::make_unique<BeamSearch>(); }

}  // namespace heed
