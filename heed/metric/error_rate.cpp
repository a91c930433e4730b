// 100 · Σ_i edits(h_i, r_i) / Σ_i |r_i|: edits is the least number of substitutions, insertions and
// deletions that turn the output into the reference (Levenshtein 1966), in words, characters or
// phonemes. Of several references, the one with the lowest rate counts. Where every reference is
// empty, the divisor is 1. Which edits they are (edit_alignment.h) and how many sentences have any is
// said with the score.
#include <algorithm>
#include <utility>

#include "heed/metric/edit_alignment.h"
#include "heed/metric/metrics.h"
#include "heed/text/letter.h"
#include "heed/text/tokenisers.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

using Units = std::vector<std::string>;

/// The words, or the phonemes where they are written with blanks between them.
Units blank_separated(const std::string& text) { return words()->split(text); }

/// The code points, with exactly one blank between words.
Units letters(const std::string& text) {
  return characters()->split(words()->join(words()->split(text)));
}

class ErrorRate : public Metric {
 public:
  struct Kind {
    std::string_view name;
    std::string_view title;
    std::string_view unit;
    Units (*split)(const std::string&);
  };

  explicit ErrorRate(const Kind& kind) : kind_(kind) {}

  std::string_view name() const override { return kind_.name; }
  std::string title() const override { return std::string(kind_.title); }
  bool higher_is_better() const override { return false; }
  void set(const MetricSettings& settings) override { is_lowercase_ = settings.is_lowercase; }
  std::vector<std::string> reads() const override { return {"lowercase"}; }
  Traits traits() const override {
    return {{"case", is_lowercase_ ? "lc" : "mixed"}, {"tok", std::string(kind_.unit)}};
  }

  using Metric::score;
  /// Statistics are the edits, the length of the reference, the substitutions, deletions and insertions,
  /// whether there is any, and 1.
  double score(const Statistics& sum) const override {
    return 100 * sum[0] / std::max(sum[1], 1.0);
  }
  std::string details(const Statistics& sum) const override {
    return fmt::format(
        "(N = {:.0f}, S = {:.0f}, D = {:.0f}, I = {:.0f}; {:.0f} of {:.0f} lines wrong)", sum[1],
        sum[2], sum[3], sum[4], sum[5], sum[6]);
  }
  bool compares_by_units() const override { return true; }
  std::vector<AlignedUnits> aligned(const std::string& hypothesis,
                                    const References& references) const override {
    const Units output = units(hypothesis);
    const Units reference = units(nearest(output, references));
    return output == reference ? std::vector<AlignedUnits>() : aligned_units(reference, output);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const Units output = units(hypothesis);
    return counted(output, units(nearest(output, references)));
  }

 private:
  static Statistics counted(const Units& output, const Units& reference) {
    const EditCounts counts = counts_of(edit_alignment(reference, output));
    const auto number = [](int64_t count) { return static_cast<double>(count); };
    return {number(counts.edits()),
            static_cast<double>(reference.size()),
            number(counts.substitutions),
            number(counts.deletions),
            number(counts.insertions),
            counts.edits() > 0 ? 1.0 : 0.0,
            1};
  }
  /// The reference with the lowest rate, the first of equals.
  const std::string& nearest(const Units& output, const References& references) const {
    const std::string* best = &references.front();
    double least = 0;
    for (const std::string& text : references) {
      const double rate = references.size() == 1 ? 0 : score(counted(output, units(text)));
      best = &text == &references.front() || rate < least ? &text : best;
      least = best == &text ? rate : least;
    }
    return *best;
  }
  Units units(const std::string& text) const {
    return kind_.split(is_lowercase_ ? to_utf8(lower(code_points(text))) : text);
  }

  Kind kind_;
  bool is_lowercase_ = false;
};

}  // namespace

std::unique_ptr<Metric> word_error_rate() {
  return std::make_unique<ErrorRate>(ErrorRate::Kind{"wer", "WER", "words", blank_separated});
}

std::unique_ptr<Metric> character_error_rate() {
  return std::make_unique<ErrorRate>(ErrorRate::Kind{"cer", "CER", "characters", letters});
}

std::unique_ptr<Metric> phoneme_error_rate() {
  return std::make_unique<ErrorRate>(ErrorRate::Kind{"per", "PER", "phonemes", blank_separated});
}

}  // namespace heed
