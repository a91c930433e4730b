// 100 · Σ_i #{j: h_ij = r_ij} / Σ_i max(|h_i|, |r_i|): the share of positions that hold the right
// word, so that words missing at the end and words too many both cost. Of several references, the
// one with the largest share counts.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

struct Share {
  std::size_t right = 0;
  std::size_t all = 0;

  double value() const {
    return all == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(all);
  }
};

Share matching(const std::vector<std::string>& hypothesis,
               const std::vector<std::string>& reference) {
  const std::size_t both = std::min(hypothesis.size(), reference.size());
  Share share{0, std::max(hypothesis.size(), reference.size())};
  for (std::size_t j = 0; j < both; ++j) {
    share.right += hypothesis[j] == reference[j] ? 1 : 0;
  }
  return share;
}

class TokenAccuracy : public Metric {
 public:
  std::string_view name() const override { return "token_accuracy"; }
  bool higher_is_better() const override { return true; }

 protected:
  double compute(std::span<const std::string> hypotheses,
                 std::span<const References> references) const override {
    const auto tokeniser = words();
    Share corpus;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      const auto hypothesis = tokeniser->split(hypotheses[i]);
      Share best = matching(hypothesis, tokeniser->split(references[i].front()));
      for (const std::string& reference : references[i]) {
        const Share share = matching(hypothesis, tokeniser->split(reference));
        best = share.value() > best.value() ? share : best;
      }
      corpus.right += best.right;
      corpus.all += best.all;
    }
    return 100.0 * corpus.value();
  }
};

}  // namespace

std::unique_ptr<Metric> token_accuracy() { return std::make_unique<TokenAccuracy>(); }

}  // namespace heed
