// BLEU (Papineni et al. 2002), as sacreBLEU computes it (Post 2018).
//
//     BLEU = 100 · BP · exp(1/4 Σ_n ln p_n),   p_n = Σ_i common n-grams / Σ_i n-grams of h_i
//     BP   = min(1, exp(1 − r/c)),  c = Σ_i |h_i|,  r = Σ_i the length nearest to |h_i| among R_i
//
// An n-gram counts at most as often as it occurs in any one reference. Where p_n = 0:
//     exp     p_n = 1 / (2^k n-grams), k = how many orders were 0 so far (NIST)
//     floor   p_n = value / n-grams
//     add-k   value added to both counts of every order above 1
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "heed/metric/clipped_ngrams.h"
#include "heed/metric/metrics.h"
#include "heed/metric/segment.h"
#include "heed/metric/tokenisations.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::size_t orders = NgramCounts::orders;

/// The p_n in percent; the first `used` orders count.
struct Precisions {
  std::array<double, orders> values{};
  std::size_t used = orders;
};

double brevity_penalty(const NgramCounts& counts) {
  if (counts.length >= counts.reference_length) {
    return 1;
  }
  return counts.length > 0 ? std::exp(1 - counts.reference_length / counts.length) : 0;
}

std::string_view spelling(Smoothing smoothing) {
  constexpr std::array<std::string_view, 4> names = {"none", "floor", "add-k", "exp"};
  return names[static_cast<std::size_t>(smoothing)];
}

class Bleu : public Metric {
 public:
  std::string_view name() const override { return "bleu"; }
  std::string title() const override { return "BLEU"; }
  bool higher_is_better() const override { return true; }

  void set(const MetricSettings& settings) override {
    tokenisation_ = tokenisations().make(settings.tokenise);
    settings_ = settings;
  }
  std::vector<std::string> reads() const override {
    return {"tokenize", "lowercase", "smooth", "smooth_value", "effective_order"};
  }

  Traits traits() const override {
    const bool has_value =
        settings_.smoothing == Smoothing::floor || settings_.smoothing == Smoothing::add_k;
    return {{"case", settings_.is_lowercase ? "lc" : "mixed"},
            {"eff", settings_.uses_effective_order ? "yes" : "no"},
            {"tok", std::string(tokenisation_->name())},
            {"smooth", fmt::format("{}{}", spelling(settings_.smoothing),
                                   has_value ? fmt::format("[{:.2f}]", smoothing_value()) : "")},
            {"version", std::string(sacrebleu_version)}};
  }

  using Metric::score;
  double score(const Statistics& sum) const override {
    const NgramCounts counts(sum);
    if (counts.matches_nothing()) {
      return 0;
    }
    constexpr double log_of_nothing = -9999999999;
    const Precisions precisions = precisions_of(counts);
    double logs = 0;
    for (std::size_t n = 0; n < precisions.used; ++n) {
      const double p = precisions.values[n];
      logs += p == 0 ? log_of_nothing : std::log(p);
    }
    return brevity_penalty(counts) * std::exp(logs / static_cast<double>(precisions.used));
  }

  std::string details(const Statistics& sum) const override {
    const NgramCounts counts(sum);
    const auto p = precisions_of(counts).values;
    const double ratio = counts.reference_length == 0 ? 0 : counts.length / counts.reference_length;
    return fmt::format(
        "{:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = "
        "{:.0f})",
        p[0], p[1], p[2], p[3], brevity_penalty(counts), ratio, counts.length,
        counts.reference_length);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    std::vector<WordList> wanted;
    wanted.reserve(references.size());
    for (const std::string& reference : references) {
      wanted.push_back(tokens(reference));
    }
    return NgramCounts(tokens(hypothesis), wanted).statistics();
  }

 private:
  double smoothing_value() const {
    return settings_.smoothing_value.value_or(settings_.smoothing == Smoothing::floor ? 0.1 : 1);
  }

  WordList tokens(const std::string& text) const {
    const std::u32string codes = code_points(text);
    const std::u32string folded = settings_.is_lowercase ? lower(codes) : codes;
    return tokenisation_->tokens(strip_right(folded));
  }

  Precisions precisions_of(NgramCounts counts) const {
    Precisions out;
    if (counts.matches_nothing()) {
      return out;
    }
    double halving = 1;
    for (std::size_t n = 0; n < orders; ++n) {
      if (settings_.smoothing == Smoothing::add_k && n > 0) {
        counts.common[n] += smoothing_value();
        counts.total[n] += smoothing_value();
      }
      if (counts.total[n] == 0) {
        break;
      }
      out.used = settings_.uses_effective_order ? n + 1 : orders;
      if (counts.common[n] > 0) {
        out.values[n] = 100 * counts.common[n] / counts.total[n];
      } else if (settings_.smoothing == Smoothing::exp) {
        halving *= 2;
        out.values[n] = 100 / (halving * counts.total[n]);
      } else if (settings_.smoothing == Smoothing::floor) {
        out.values[n] = 100 * smoothing_value() / counts.total[n];
      }
    }
    return out;
  }

  MetricSettings settings_;
  std::unique_ptr<Tokenisation> tokenisation_ = mteval_13a();
};

}  // namespace

std::unique_ptr<Metric> bleu() { return std::make_unique<Bleu>(); }

}  // namespace heed
