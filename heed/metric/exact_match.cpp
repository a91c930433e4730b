// 100 · #{i: h_i = some r_i} / N: the share of outputs that are right from end to end; white space
// aside.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

class ExactMatch : public Metric {
 public:
  std::string_view name() const override { return "exact_match"; }
  bool higher_is_better() const override { return true; }

 protected:
  double compute(std::span<const std::string> hypotheses,
                 std::span<const References> references) const override {
    const auto tokeniser = words();
    std::size_t right = 0;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      const auto hypothesis = tokeniser->split(hypotheses[i]);
      const bool is_right = std::any_of(
          references[i].begin(), references[i].end(),
          [&](const std::string& reference) { return tokeniser->split(reference) == hypothesis; });
      right += is_right ? 1 : 0;
    }
    return 100.0 * static_cast<double>(right) / static_cast<double>(hypotheses.size());
  }
};

}  // namespace

std::unique_ptr<Metric> exact_match() { return std::make_unique<ExactMatch>(); }

}  // namespace heed
