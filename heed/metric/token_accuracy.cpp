// 100 · Σ_i #{j: h_ij = r_ij} / Σ_i max(|h_i|, |r_i|): the share of positions that hold the right
// word. Both missing words and extra words at the end lower it. Of several references, the one with
// the largest share counts.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;

class TokenAccuracy : public Metric {
 public:
  std::string_view name() const override { return "token_accuracy"; }
  bool higher_is_better() const override { return true; }
  Traits traits() const override { return {{"tok", "words"}}; }

  using Metric::score;
  /// Statistics are the number of right positions and of all positions; no positions score 100.
  double score(const Statistics& sum) const override {
    return 100 * (sum[1] == 0 ? 1 : sum[0] / sum[1]);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const Words output = words()->split(hypothesis);
    Statistics best;
    for (const std::string& reference : references) {
      const Statistics one = matching(output, words()->split(reference));
      best = best.empty() || score(one) > score(best) ? one : best;
    }
    return best;
  }

 private:
  static Statistics matching(const Words& output, const Words& wanted) {
    const std::size_t both = std::min(output.size(), wanted.size());
    double right = 0;
    for (std::size_t j = 0; j < both; ++j) {
      right += output[j] == wanted[j] ? 1 : 0;
    }
    return {right, static_cast<double>(std::max(output.size(), wanted.size()))};
  }
};

}  // namespace

std::unique_ptr<Metric> token_accuracy() { return std::make_unique<TokenAccuracy>(); }

}  // namespace heed
