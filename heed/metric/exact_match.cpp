// 100 · #{i: h_i = some r_i} / N: the share of outputs that equal a reference, apart from white
// space.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/letter.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class ExactMatch : public Metric {
 public:
  std::string_view name() const override { return "exact_match"; }
  bool higher_is_better() const override { return true; }
  void set(const MetricSettings& settings) override { is_lowercase_ = settings.is_lowercase; }
  Traits traits() const override { return {{"case", is_lowercase_ ? "lc" : "mixed"}}; }

  using Metric::score;
  /// Statistics are 1 (right) or 0 (wrong), and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const auto output = split(hypothesis);
    const bool is_right =
        std::any_of(references.begin(), references.end(),
                    [&](const std::string& reference) { return split(reference) == output; });
    return {is_right ? 1.0 : 0.0, 1};
  }

 private:
  std::vector<std::string> split(const std::string& text) const {
    return words()->split(is_lowercase_ ? to_utf8(lower(code_points(text))) : text);
  }

  bool is_lowercase_ = false;
};

}  // namespace

std::unique_ptr<Metric> exact_match() { return std::make_unique<ExactMatch>(); }

}  // namespace heed
