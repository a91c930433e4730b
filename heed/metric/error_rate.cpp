// 100 · Σ_i edits(h_i, r_i) / Σ_i |r_i|: the least substitutions, insertions and deletions that
// turn the output into the reference (Levenshtein 1966), in words, characters or phonemes. Of
// several references, the one with the lowest rate counts. Where every reference is empty, the
// divisor is 1.
#include <algorithm>
#include <utility>

#include "heed/base/edit_distance.h"
#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

using Units = std::vector<std::string>;

/// Words, or phonemes written with blanks between them.
Units blank_separated(const std::string& text) { return words()->split(text); }

/// Code points, with one blank between words however many were written.
Units letters(const std::string& text) {
  return characters()->split(words()->join(words()->split(text)));
}

struct Rate {
  std::size_t edits = 0;
  std::size_t length = 0;

  double value() const {
    return static_cast<double>(edits) / static_cast<double>(std::max<std::size_t>(length, 1));
  }
};

class ErrorRate : public Metric {
 public:
  ErrorRate(std::string_view name, Units (*units)(const std::string&))
      : name_(name), units_(units) {}

  std::string_view name() const override { return name_; }
  bool higher_is_better() const override { return false; }

 protected:
  double compute(std::span<const std::string> hypotheses,
                 std::span<const References> references) const override {
    Rate corpus;
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      const Rate best = lowest(units_(hypotheses[i]), references[i]);
      corpus.edits += best.edits;
      corpus.length += best.length;
    }
    return 100.0 * corpus.value();
  }

 private:
  Rate lowest(const Units& hypothesis, const References& references) const {
    Rate best;
    bool is_first = true;
    for (const std::string& text : references) {
      const Units reference = units_(text);
      const Rate rate{edit_distance(hypothesis, reference), reference.size()};
      best = is_first || rate.value() < best.value() ? rate : best;
      is_first = false;
    }
    return best;
  }

  std::string_view name_;
  Units (*units_)(const std::string&);
};

}  // namespace

std::unique_ptr<Metric> word_error_rate() {
  return std::make_unique<ErrorRate>("wer", blank_separated);
}

std::unique_ptr<Metric> character_error_rate() {
  return std::make_unique<ErrorRate>("cer", letters);
}

std::unique_ptr<Metric> phoneme_error_rate() {
  return std::make_unique<ErrorRate>("per", blank_separated);
}

}  // namespace heed
