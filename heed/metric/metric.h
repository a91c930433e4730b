// A measure of how good a corpus of outputs is, given one or several references for each output.
//
//     score(corpus) = f(Σ_i statistics(h_i, R_i))
//
// Every metric is a function of sums over sentences, so that a sample of the sentences can be
// scored without reading them again: see resample.h. Some weigh what they count in a sentence by
// what is common in a whole corpus of references; `informed_by` fixes that corpus.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/metric/aligned_units.h"
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

/// Every score is on the scale of 0 to 100 (error rates and CIDEr-D may exceed 100) and describes
/// the whole corpus; not every score is a mean over sentences.
class Metric {
 public:
  virtual ~Metric() = default;

  /// Its name in the catalogue.
  virtual std::string_view name() const = 0;
  /// Its name in reports, such as "chrF2++".
  virtual std::string title() const { return std::string(name()); }
  virtual bool higher_is_better() const = 0;
  /// The score that no output exceeds.
  virtual double best() const { return higher_is_better() ? 100 : 0; }
  /// Whether it compares word alignments (lines such as "0-0 1-2") rather than text.
  virtual bool reads_links() const { return false; }
  /// Whether it compares when words begin (lines such as "one@0.12 two@0.58") rather than text.
  virtual bool reads_times() const { return false; }
  bool reads_text() const { return !reads_links() && !reads_times(); }
  /// Takes the settings that concern this metric; throws where a value is not allowed.
  virtual void set(const MetricSettings& settings) { static_cast<void>(settings); }
  /// The names of the settings (metric_settings.h) that `set` takes; the others change nothing here.
  virtual std::vector<std::string> reads() const { return {}; }
  virtual Traits traits() const = 0;

  /// Whether it weighs by a corpus of references (such as by how many of its documents have an
  /// n-gram) and has not been told which. Such a metric cannot judge a single output.
  virtual bool needs_corpus() const { return false; }
  /// The same metric with what it needs to know of a corpus taken from these references and fixed,
  /// so that it can judge single outputs; null if it needs none.
  virtual std::unique_ptr<Metric> informed_by(std::span<const References> corpus) const {
    static_cast<void>(corpus);
    return nullptr;
  }

  /// The statistics of each sentence. `references[i]` belong to `hypotheses[i]`. Throws where the
  /// numbers differ, a hypothesis has no reference, or a text is not UTF-8. A metric that needs a
  /// corpus takes these references.
  std::vector<Statistics> statistics(std::span<const std::string> hypotheses,
                                     std::span<const References> references) const;
  /// The score for the summed statistics of some sentences.
  virtual double score(const Statistics& sum) const = 0;
  /// What a report prints after the score; may be empty.
  virtual std::string details(const Statistics& sum) const {
    static_cast<void>(sum);
    return {};
  }
  /// Whether it compares word by word, or in other units, and so can say which of them differ.
  virtual bool compares_by_units() const { return false; }
  /// The units of the output and of the reference that counts, below each other. Empty if nothing
  /// differs, or if this metric does not compare by units.
  virtual std::vector<AlignedUnits> aligned(const std::string& hypothesis,
                                            const References& references) const;
  double score(std::span<const std::string> hypotheses,
               std::span<const References> references) const;

 protected:
  /// The statistics of one sentence, whose texts have been checked.
  virtual Statistics count(const std::string& hypothesis, const References& references) const = 0;
};

Statistics sum_of(std::span<const Statistics> sentences);

}  // namespace heed
