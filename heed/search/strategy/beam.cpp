// Beam search keeps the likeliest of all continuations of all hypotheses; a beam of one is greedy.
#include "heed/search/sentence_settings.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

class BeamSearch : public Strategy {
 public:
  std::unique_ptr<Strategy> copy() const override { return std::make_unique<BeamSearch>(*this); }
  void prepare(const SentenceSettings& settings) override { width_ = kept_by(settings); }
  std::vector<double> likeness() const override { return {static_cast<double>(width_)}; }
  int64_t width() const override { return width_; }

 private:
  int64_t width_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> beam_strategy() { return std::make_unique<BeamSearch>(); }

}  // namespace heed
