// 100 · Σ_i edits(h_i, r_i) / Σ_i |r_i|: edits is the least number of substitutions, insertions and
// deletions that turn the output into the reference (Levenshtein 1966), in words, characters or
// phonemes. Of several references, the one with the lowest rate counts. Where every reference is
// empty, the divisor is 1.
#include <algorithm>
#include <utility>

#include "heed/metric/bit_parallel.h"
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
  Traits traits() const override {
    return {{"case", is_lowercase_ ? "lc" : "mixed"}, {"tok", std::string(kind_.unit)}};
  }

  using Metric::score;
  /// Statistics are the edits and the length of the reference.
  double score(const Statistics& sum) const override {
    return 100 * sum[0] / std::max(sum[1], 1.0);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const Units output = units(hypothesis);
    Statistics best;
    for (const std::string& text : references) {
      const Units reference = units(text);
      Numbering numbering;
      const Numbers numbered = numbering.of(output);
      const Statistics one = {static_cast<double>(edits_between(numbered, numbering.of(reference))),
                              static_cast<double>(reference.size())};
      best = best.empty() || score(one) < score(best) ? one : best;
    }
    return best;
  }

 private:
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
