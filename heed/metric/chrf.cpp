// chrF (Popović 2015) and chrF++ (Popović 2017), as sacreBLEU computes them.
//
//     chrF = 100 · (1 + β²) P R / (β² P + R),  β = 2
//
// P and R are the means over n of Σ_i common n-grams / Σ_i n-grams of h_i (of r_i), for n = 1 … 6
// characters without blanks, and in chrF++ also for n = 1, 2 words. An order does not count if one
// side has no n-grams of it. Of several references, the one with the highest chrF counts.
#include "heed/metric/metrics.h"
#include "heed/metric/segment.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::size_t character_orders = 6;
constexpr int beta = 2;

bool is_ascii_punctuation(char32_t code) {
  return (code >= U'!' && code <= U'/') || (code >= U':' && code <= U'@') ||
         (code >= U'[' && code <= U'`') || (code >= U'{' && code <= U'~');
}

/// Cuts a mark off the end of each word, or else off its beginning: "(hi)" → "(hi", ")".
std::vector<std::u32string> words_and_marks(std::u32string_view text) {
  std::vector<std::u32string> parts;
  for (const std::u32string& word : split_at_blanks(text)) {
    const std::size_t last = word.size() - 1;
    std::size_t cut = 0;
    if (last > 0) {
      cut = is_ascii_punctuation(word[last]) ? last : is_ascii_punctuation(word[0]) ? 1 : 0;
    }
    if (cut > 0) {
      parts.push_back(word.substr(0, cut));
    }
    parts.push_back(word.substr(cut));
  }
  return parts;
}

/// The sequences that n-grams are taken from.
struct Sequences {
  std::u32string characters;
  std::u32string words;
};

class Chrf : public Metric {
 public:
  explicit Chrf(std::size_t word_orders) : word_orders_(word_orders) {}

  std::string_view name() const override { return word_orders_ == 0 ? "chrf" : "chrf++"; }
  std::string title() const override { return word_orders_ == 0 ? "chrF2" : "chrF2++"; }
  bool higher_is_better() const override { return true; }
  void set(const MetricSettings& settings) override { is_lowercase_ = settings.is_lowercase; }
  std::vector<std::string> reads() const override { return {"lowercase"}; }

  Traits traits() const override {
    return {{"case", is_lowercase_ ? "lc" : "mixed"},
            {"eff", "yes"},
            {"nc", std::to_string(character_orders)},
            {"nw", std::to_string(word_orders_)},
            {"space", "no"},
            {"version", std::string(sacrebleu_version)}};
  }

  using Metric::score;
  /// Statistics are, for each order, the n-grams of h, of r and common to both.
  double score(const Statistics& sum) const override {
    double precision = 0;
    double recall = 0;
    int used = 0;
    for (std::size_t i = 0; i < sum.size(); i += 3) {
      if (sum[i] > 0 && sum[i + 1] > 0) {
        precision += sum[i + 2] / sum[i];
        recall += sum[i + 2] / sum[i + 1];
        ++used;
      }
    }
    if (used == 0 || precision + recall == 0) {
      return 0;
    }
    precision /= used;
    recall /= used;
    constexpr double factor = beta * beta;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    WordNumbers numbers;
    const Sequences output = sequences(hypothesis, numbers);
    Statistics best;
    double best_score = -1;
    for (const std::string& reference : references) {
      Statistics counts = compare(output, sequences(reference, numbers));
      if (const double one = score(counts); one > best_score) {
        best_score = one;
        best = std::move(counts);
      }
    }
    return best;
  }

 private:
  Sequences sequences(const std::string& text, WordNumbers& numbers) const {
    const std::u32string codes = is_lowercase_ ? lower(code_points(text)) : code_points(text);
    Sequences out;
    for (const char32_t code : codes) {
      out.characters += is_blank(code) ? std::u32string() : std::u32string(1, code);
    }
    out.words = word_orders_ == 0 ? std::u32string() : numbers.of(words_and_marks(codes));
    return out;
  }

  static void compare(std::u32string_view output, std::u32string_view wanted, std::size_t order,
                      Statistics& counts) {
    const long in_wanted = ngrams_in(wanted.size(), order);
    // Where the reference is too short for an order, the n-grams of the hypothesis do not count.
    counts.push_back(in_wanted == 0 ? 0 : static_cast<double>(ngrams_in(output.size(), order)));
    counts.push_back(static_cast<double>(in_wanted));
    counts.push_back(
        static_cast<double>(common(count_ngrams(output, order), count_ngrams(wanted, order))));
  }

  Statistics compare(const Sequences& output, const Sequences& wanted) const {
    Statistics counts;
    for (std::size_t n = 1; n <= character_orders; ++n) {
      compare(output.characters, wanted.characters, n, counts);
    }
    for (std::size_t n = 1; n <= word_orders_; ++n) {
      compare(output.words, wanted.words, n, counts);
    }
    return counts;
  }

  std::size_t word_orders_;
  bool is_lowercase_ = false;
};

}  // namespace

std::unique_ptr<Metric> chrf() { return std::make_unique<Chrf>(0); }

std::unique_ptr<Metric> chrf_plus_plus() { return std::make_unique<Chrf>(2); }

}  // namespace heed
