// BLEU-1 … BLEU-4 of captions, as the COCO caption evaluation computes them (Chen 2015; its code is
// published as pycocoevalcap).
//
//     BLEU-N = 100 · BP · (Π_{n ≤ N} p_n)^(1/N),   p_n = (common n-grams + ε) / (n-grams + δ)
//     BP     = min(1, exp(1 − 1/q)),   q = (c + ε) / (r + δ)
//     c = Σ_i |h_i|,   r = Σ_i the length nearest to |h_i| among R_i
//
// An n-gram counts at most as often as it occurs in any one reference. Nothing is smoothed: ε =
// 10⁻¹⁵ and δ = 10⁻⁹ are there against a division by zero. They are part of the score because they
// show where nothing matches: a caption of three words has p_4 = 10⁻⁶ instead of 0/0.
#include <fmt/format.h>

#include <cmath>

#include "heed/metric/caption_words.h"
#include "heed/metric/clipped_ngrams.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

double guarded_ratio(double part, double whole) { return (part + 1e-15) / (whole + 1e-9); }

double caption_brevity_penalty(const NgramCounts& counts) {
  const double ratio = guarded_ratio(counts.length, counts.reference_length);
  return ratio < 1 ? std::exp(1 - 1 / ratio) : 1;
}

class CocoBleu : public Metric {
 public:
  CocoBleu(std::string_view name, std::size_t order) : name_(name), order_(order) {}

  std::string_view name() const override { return name_; }
  std::string title() const override { return fmt::format("BLEU-{}", order_); }
  bool higher_is_better() const override { return true; }
  void set(const MetricSettings& settings) override { words_ = CaptionWords(settings); }
  std::vector<std::string> reads() const override { return CaptionWords::reads(); }
  Traits traits() const override { return words_.traits(); }

  using Metric::score;
  double score(const Statistics& sum) const override {
    const NgramCounts counts(sum);
    double product = 1;
    for (std::size_t n = 0; n < order_; ++n) {
      product *= guarded_ratio(counts.common[n], counts.total[n]);
    }
    return 100 * caption_brevity_penalty(counts) *
           std::pow(product, 1 / static_cast<double>(order_));
  }

  std::string details(const Statistics& sum) const override {
    const NgramCounts counts(sum);
    return fmt::format("(BP = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                       caption_brevity_penalty(counts), counts.length, counts.reference_length);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    return NgramCounts(words_.of(hypothesis), words_.of_each(references)).statistics();
  }

 private:
  std::string_view name_;
  std::size_t order_;
  CaptionWords words_;
};

}  // namespace

std::unique_ptr<Metric> coco_bleu_1() { return std::make_unique<CocoBleu>("coco_bleu1", 1); }
std::unique_ptr<Metric> coco_bleu_2() { return std::make_unique<CocoBleu>("coco_bleu2", 2); }
std::unique_ptr<Metric> coco_bleu_3() { return std::make_unique<CocoBleu>("coco_bleu3", 3); }
std::unique_ptr<Metric> coco_bleu_4() { return std::make_unique<CocoBleu>("coco_bleu4", 4); }

}  // namespace heed
