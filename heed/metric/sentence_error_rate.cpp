// 100 · #{i: h_i ≠ every r_i} / N: the share of outputs with any error, apart from white space.
#include <algorithm>

#include "heed/metric/metrics.h"
#include "heed/text/letter.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

class SentenceErrorRate : public Metric {
 public:
  std::string_view name() const override { return "ser"; }
  std::string title() const override { return "SER"; }
  bool higher_is_better() const override { return false; }
  void set(const MetricSettings& settings) override { is_lowercase_ = settings.is_lowercase; }
  Traits traits() const override { return {{"case", is_lowercase_ ? "lc" : "mixed"}}; }

  using Metric::score;
  /// Statistics are 1 (wrong) or 0 (right), and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const auto output = split(hypothesis);
    const bool is_wrong =
        std::none_of(references.begin(), references.end(),
                     [&](const std::string& reference) { return split(reference) == output; });
    return {is_wrong ? 1.0 : 0.0, 1};
  }

 private:
  std::vector<std::string> split(const std::string& text) const {
    return words()->split(is_lowercase_ ? to_utf8(lower(code_points(text))) : text);
  }

  bool is_lowercase_ = false;
};

}  // namespace

std::unique_ptr<Metric> sentence_error_rate() { return std::make_unique<SentenceErrorRate>(); }

}  // namespace heed
