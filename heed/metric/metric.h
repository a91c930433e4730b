// A measure of how good a corpus of outputs is, given one or several references for each output.
//
//     score(corpus) = f(Σ_i statistics(h_i, R_i))
//
// Every metric is a function of sums over sentences, so that a sample of the sentences can be
// scored without reading them again: see resample.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/metric/metric_settings.h"

namespace heed {

/// The references of one output: at least one, all equally good.
using References = std::vector<std::string>;

/// What a metric counts in one or more sentences. All have the same length and are summed element
/// by element.
using Statistics = std::vector<double>;

/// What makes a score comparable with another, in the order of sacreBLEU's signatures: {"case",
/// "mixed"}, {"tok", "13a"}.
using Traits = std::vector<std::pair<std::string, std::string>>;

/// Every score is on the scale of 0 to 100 (error rates may exceed 100) and describes the whole
/// corpus; not every score is a mean over sentences.
class Metric {
 public:
  virtual ~Metric() = default;

  /// Its name in the catalogue.
  virtual std::string_view name() const = 0;
  /// Its name in reports, such as "chrF2++".
  virtual std::string title() const { return std::string(name()); }
  virtual bool higher_is_better() const = 0;
  /// Whether it compares word alignments (lines such as "0-0 1-2") rather than text.
  virtual bool reads_links() const { return false; }
  /// Takes the settings that concern this metric; throws where a value is not allowed.
  virtual void set(const MetricSettings& settings) { static_cast<void>(settings); }
  virtual Traits traits() const = 0;

  /// The statistics of each sentence. `references[i]` belong to `hypotheses[i]`. Throws where the
  /// numbers differ, a hypothesis has no reference, or a text is not UTF-8.
  std::vector<Statistics> statistics(std::span<const std::string> hypotheses,
                                     std::span<const References> references) const;
  /// The score for the summed statistics of some sentences.
  virtual double score(const Statistics& sum) const = 0;
  /// What a report prints after the score; may be empty.
  virtual std::string details(const Statistics& sum) const {
    static_cast<void>(sum);
    return {};
  }
  double score(std::span<const std::string> hypotheses,
               std::span<const References> references) const;

 protected:
  /// The statistics of one sentence, whose texts have been checked.
  virtual Statistics count(const std::string& hypothesis, const References& references) const = 0;
};

Statistics sum_of(std::span<const Statistics> sentences);

}  // namespace heed
