// How good a corpus of outputs is, against one or several references for each.
//
//     score(corpus) = f(Σ_i statistics(h_i, R_i))
//
// Every metric is a function of sums over sentences, so a sample of the sentences is scored without
// reading any of them again: see resample.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/metric/metric_settings.h"

namespace heed {

/// What one output may say; at least one, each as good as the next.
using References = std::vector<std::string>;

/// What a metric counts in a sentence, or in many: always of one length, and summed element by
/// element.
using Statistics = std::vector<double>;

/// What makes a score comparable with another, in the order of sacreBLEU's signatures: {"case",
/// "mixed"}, {"tok", "13a"}.
using Traits = std::vector<std::pair<std::string, std::string>>;

/// Every score is on the scale of 0 to 100 (error rates may pass 100), and of the whole corpus: not
/// all of them are means over its sentences.
class Metric {
 public:
  virtual ~Metric() = default;

  /// As the catalogue lists it.
  virtual std::string_view name() const = 0;
  /// As reports print it: "chrF2++".
  virtual std::string title() const { return std::string(name()); }
  virtual bool higher_is_better() const = 0;
  /// Whether it compares word alignments (lines such as "0-0 1-2") rather than text.
  virtual bool reads_links() const { return false; }
  /// Each takes what concerns it; throws where a value is none.
  virtual void set(const MetricSettings& settings) { static_cast<void>(settings); }
  virtual Traits traits() const = 0;

  /// One for each sentence. `references[i]` belong to `hypotheses[i]`; throws unless the two match,
  /// nothing is missing and all is UTF-8.
  std::vector<Statistics> statistics(std::span<const std::string> hypotheses,
                                     std::span<const References> references) const;
  /// Of the sum of some sentences' statistics.
  virtual double score(const Statistics& sum) const = 0;
  /// What a report adds to the score; empty where nothing.
  virtual std::string details(const Statistics& sum) const {
    static_cast<void>(sum);
    return {};
  }
  double score(std::span<const std::string> hypotheses,
               std::span<const References> references) const;

 protected:
  /// Of one sentence, checked.
  virtual Statistics count(const std::string& hypothesis, const References& references) const = 0;
};

Statistics sum_of(std::span<const Statistics> sentences);

}  // namespace heed
