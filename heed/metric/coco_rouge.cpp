// ROUGE-L of captions (Lin 2004), as the COCO caption evaluation computes it.
//
//     ROUGE-L = 100 · mean_i (1 + β²) P R / (R + β² P),   β = 1.2
//     P = max_{r ∈ R_i} lcs(h_i, r) / |h_i|,   R = max_{r ∈ R_i} lcs(h_i, r) / |r|
//
// lcs is the length of the longest common subsequence of words. P and R may come from different
// references. A caption without words counts as one empty word.
#include <algorithm>

#include "heed/metric/bit_parallel.h"
#include "heed/metric/caption_words.h"
#include "heed/metric/metrics.h"
#include "heed/metric/segment.h"

namespace heed {
namespace {

class CocoRouge : public Metric {
 public:
  std::string_view name() const override { return "coco_rougeL"; }
  std::string title() const override { return "COCO-ROUGE-L"; }
  bool higher_is_better() const override { return true; }
  void set(const MetricSettings& settings) override { words_ = CaptionWords(settings); }
  std::vector<std::string> reads() const override { return CaptionWords::reads(); }
  Traits traits() const override { return words_.traits(); }

  using Metric::score;
  /// Statistics are the F of the caption and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    WordNumbers known;
    const auto numbered = [&](WordList words) -> Numbers {
      if (words.empty()) {
        words.emplace_back();
      }
      const std::u32string numbers = known.of(words);
      return {numbers.begin(), numbers.end()};
    };
    const Numbers output = numbered(words_.of(hypothesis));
    double precision = 0;
    double recall = 0;
    for (const WordList& reference : words_.of_each(references)) {
      const Numbers wanted = numbered(reference);
      const auto common = static_cast<double>(common_subsequence(output, wanted));
      precision = std::max(precision, common / static_cast<double>(output.size()));
      recall = std::max(recall, common / static_cast<double>(wanted.size()));
    }
    constexpr double beta_squared = 1.2 * 1.2;
    const double f = (1 + beta_squared) * precision * recall / (recall + beta_squared * precision);
    return {precision > 0 ? f : 0, 1};
  }

 private:
  CaptionWords words_;
};

}  // namespace

std::unique_ptr<Metric> coco_rouge_l() { return std::make_unique<CocoRouge>(); }

}  // namespace heed
