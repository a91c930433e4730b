// exact_match: 100 · #{i: h_i = some r_i} / N, the share of outputs that equal a reference;
// ser:         100 · #{i: h_i ≠ every r_i} / N, the share of outputs with any error.
// White space does not count.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/letter.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// The share of whole outputs that are right or, with `counts_errors`, wrong.
class WholeOutputs : public Metric {
 public:
  explicit WholeOutputs(bool counts_errors) : counts_errors_(counts_errors) {}

  std::string_view name() const override { return counts_errors_ ? "ser" : "exact_match"; }
  std::string title() const override { return counts_errors_ ? "SER" : Metric::title(); }
  bool higher_is_better() const override { return !counts_errors_; }
  void set(const MetricSettings& settings) override { is_lowercase_ = settings.is_lowercase; }
  std::vector<std::string> reads() const override { return {"lowercase"}; }
  Traits traits() const override { return {{"case", is_lowercase_ ? "lc" : "mixed"}}; }

  using Metric::score;
  /// Statistics are 1 (it counts) or 0, and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const auto output = split(hypothesis);
    const bool is_right =
        std::any_of(references.begin(), references.end(),
                    [&](const std::string& reference) { return split(reference) == output; });
    return {is_right != counts_errors_ ? 1.0 : 0.0, 1};
  }

 private:
  std::vector<std::string> split(const std::string& text) const {
    return words()->split(is_lowercase_ ? to_utf8(lower(code_points(text))) : text);
  }

  bool counts_errors_;
  bool is_lowercase_ = false;
};

}  // namespace

std::unique_ptr<Metric> exact_match() { return std::make_unique<WholeOutputs>(false); }
std::unique_ptr<Metric> sentence_error_rate() { return std::make_unique<WholeOutputs>(true); }

}  // namespace heed
