// ROUGE (Lin 2004), as Google's rouge_score computes it without stemming.
//
//     ROUGE-n = 100 · mean_i F1(h_i, r_i)
//     P = common n-grams / n-grams of h,   R = common n-grams / n-grams of r
//     ROUGE-L: the longest common subsequence of words takes the place of the common n-grams
//
// Words are runs of a–z and 0–9 in small letters. Everything else separates words, so text in
// another script scores 0. Of several references, the one with the highest F1 counts.
#include <algorithm>

#include "heed/metric/bit_parallel.h"
#include "heed/metric/metrics.h"
#include "heed/metric/segment.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

std::vector<std::u32string> latin_words(const std::string& text) {
  std::u32string kept = lower(code_points(text));
  std::replace_if(
      kept.begin(), kept.end(),
      [](char32_t c) { return (c < U'a' || c > U'z') && (c < U'0' || c > U'9'); }, U' ');
  return split_at_blanks(kept);
}

double ratio(long part, long whole) {
  return static_cast<double>(part) / static_cast<double>(std::max<long>(whole, 1));
}

class Rouge : public Metric {
 public:
  /// `order` 0 means ROUGE-L.
  Rouge(std::string_view name, std::string_view title, std::size_t order)
      : name_(name), title_(title), order_(order) {}

  std::string_view name() const override { return name_; }
  std::string title() const override { return std::string(title_); }
  bool higher_is_better() const override { return true; }
  Traits traits() const override { return {{"case", "lc"}, {"tok", "latin"}, {"stem", "no"}}; }

  using Metric::score;
  /// Statistics are F1 and 1.
  double score(const Statistics& sum) const override { return 100 * sum[0] / sum[1]; }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    WordNumbers numbers;
    const std::u32string output = numbers.of(latin_words(hypothesis));
    double best = 0;
    for (const std::string& reference : references) {
      best = std::max(best, f1(output, numbers.of(latin_words(reference))));
    }
    return {best, 1};
  }

 private:
  double f1(std::u32string_view output, std::u32string_view wanted) const {
    const std::size_t n = std::max<std::size_t>(order_, 1);
    const long hits = order_ == 0 ? common_subsequence({output.begin(), output.end()},
                                                       {wanted.begin(), wanted.end()})
                                  : common(count_ngrams(output, n), count_ngrams(wanted, n));
    const double precision = ratio(hits, ngrams_in(output.size(), n));
    const double recall = ratio(hits, ngrams_in(wanted.size(), n));
    return hits == 0 ? 0 : 2 * precision * recall / (precision + recall);
  }

  std::string_view name_;
  std::string_view title_;
  std::size_t order_;
};

}  // namespace

std::unique_ptr<Metric> rouge_1() { return std::make_unique<Rouge>("rouge1", "ROUGE-1", 1); }
std::unique_ptr<Metric> rouge_2() { return std::make_unique<Rouge>("rouge2", "ROUGE-2", 2); }
std::unique_ptr<Metric> rouge_l() { return std::make_unique<Rouge>("rougeL", "ROUGE-L", 0); }

}  // namespace heed
