// TER, the translation edit rate (Snover et al. 2006), as sacreBLEU computes it.
//
//     TER = 100 · Σ_i min_r edits(h_i, r) / Σ_i mean_r |r|
//
// Edits include moved blocks: see shifted_edits.h. Words are Tercom's: by default they are split at
// blanks only, and in small letters.
#include <algorithm>
#include <limits>

#include "heed/metric/metrics.h"
#include "heed/metric/segment.h"
#include "heed/metric/shifted_edits.h"
#include "heed/metric/western_punctuation.h"
#include "heed/text/letter.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

bool between(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

/// Ideographs, strokes, radicals, enclosed and squared letters, as far as Tercom knows them.
bool is_ideograph_like(char32_t code) {
  return between(code, 0x4E00, 0x9FFF) || between(code, 0x3200, 0x4DBF) ||
         between(code, 0x31C0, 0x31EF) || between(code, 0x2E80, 0x2EFF) ||
         between(code, 0xF900, 0xFAFF) || between(code, 0xFE30, 0xFE4F);
}

bool is_asian_punctuation(char32_t code) {
  return between(code, 0x3001, 0x3002) || between(code, 0x3008, 0x3011) ||
         between(code, 0x3014, 0x301F) || between(code, 0xFF61, 0xFF65) || code == 0x30FB;
}

bool is_full_width_punctuation(char32_t code) {
  constexpr std::u32string_view marks = U"．，？：；！＂（）";
  return marks.find(code) != std::u32string_view::npos;
}

bool is_western_mark(char32_t code) {
  constexpr std::u32string_view marks = U".,?:;!\"()";
  return marks.find(code) != std::u32string_view::npos;
}

std::u32string normalised(std::u32string_view text) {
  const std::u32string joined = replaced(replaced(text, U"\n-", U""), U"\n", U" ");
  std::u32string out = set_apart(between_blanks(without_entities(joined)), is_plain_punctuation);
  out = replaced(out, U"'s ", U" 's ");
  return set_number_marks_apart(out);
}

/// Whether a character is a word by itself; kana are not, so their runs stay whole.
bool stands_alone(char32_t code) {
  return is_ideograph_like(code) || is_asian_punctuation(code) || is_full_width_punctuation(code);
}

std::string yes_or_no(bool flag) { return flag ? "yes" : "no"; }

class Ter : public Metric {
 public:
  std::string_view name() const override { return "ter"; }
  std::string title() const override { return "TER"; }
  bool higher_is_better() const override { return false; }
  void set(const MetricSettings& settings) override { settings_ = settings; }
  std::vector<std::string> reads() const override {
    return {"ter_case_sensitive", "ter_normalized", "ter_no_punct", "ter_asian_support"};
  }

  Traits traits() const override {
    return {{"case", settings_.is_case_sensitive ? "mixed" : "lc"},
            {"tok", "tercom"},
            {"norm", yes_or_no(settings_.is_normalised)},
            {"punct", yes_or_no(!settings_.drops_punctuation)},
            {"asian", yes_or_no(settings_.supports_asian)},
            {"version", std::string(sacrebleu_version)}};
  }

  using Metric::score;
  /// Statistics are the edits and the mean length of the references. Where all references are
  /// empty, any edit at all makes 100.
  double score(const Statistics& sum) const override {
    return 100 * (sum[1] > 0 ? sum[0] / sum[1] : sum[0] > 0 ? 1 : 0);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    WordNumbers numbers;
    const std::u32string output = numbers.of(words_of(hypothesis));
    long least = std::numeric_limits<long>::max();
    std::size_t length = 0;
    for (const std::string& reference : references) {
      const std::u32string wanted = numbers.of(words_of(reference));
      least = std::min(least, shifted_edits(output, wanted));
      length += wanted.size();
    }
    return {static_cast<double>(least),
            static_cast<double>(length) / static_cast<double>(references.size())};
  }

 private:
  std::vector<std::u32string> words_of(const std::string& line) const {
    const std::u32string codes = code_points(line);
    std::u32string text(strip_right(codes));
    if (!settings_.is_case_sensitive) {
      text = lower(text);
    }
    if (settings_.is_normalised) {
      text = normalised(text);
      text = settings_.supports_asian ? set_apart(text, stands_alone) : text;
    }
    if (settings_.drops_punctuation) {
      std::erase_if(text, is_western_mark);
      if (settings_.supports_asian) {
        std::erase_if(text, is_asian_punctuation);
        std::erase_if(text, is_full_width_punctuation);
      }
    }
    return split_at_blanks(text);
  }

  MetricSettings settings_;
};

}  // namespace

std::unique_ptr<Metric> ter() { return std::make_unique<Ter>(); }

}  // namespace heed
