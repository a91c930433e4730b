// AER, the alignment error rate (Och and Ney 2003), against links that are sure (S) or possible (P,
// which includes S):
//
//     AER = 100 · (1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)), each a sum over the sentences
//
// Lines are read by links.h. Of several references, the one with the lowest rate counts; where
// neither side has a link, the rate is 0.
#include <algorithm>

#include "heed/metric/links.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

double shared(const std::set<Link>& a, const std::set<Link>& b) {
  return static_cast<double>(
      std::count_if(a.begin(), a.end(), [&](const Link& link) { return b.contains(link); }));
}

class AlignmentErrorRate : public Metric {
 public:
  std::string_view name() const override { return "aer"; }
  std::string title() const override { return "AER"; }
  bool higher_is_better() const override { return false; }
  bool reads_links() const override { return true; }
  Traits traits() const override { return {}; }

  using Metric::score;
  /// Statistics are |A ∩ S| + |A ∩ P| and |A| + |S|.
  double score(const Statistics& sum) const override {
    return sum[1] == 0 ? 0 : 100 * (1 - sum[0] / sum[1]);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const std::set<Link> links = read_links(hypothesis, "aer: output").possible;
    Statistics best;
    for (const std::string& reference : references) {
      const Links gold = read_links(reference, "aer: reference");
      const Statistics one = {shared(links, gold.sure) + shared(links, gold.possible),
                              static_cast<double>(links.size() + gold.sure.size())};
      best = best.empty() || score(one) < score(best) ? one : best;
    }
    return best;
  }
};

}  // namespace

std::unique_ptr<Metric> alignment_error_rate() { return std::make_unique<AlignmentErrorRate>(); }

}  // namespace heed
