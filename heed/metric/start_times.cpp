// 100 · #{words found within the tolerance of where they begin} / N: words of output and reference are
// written with the second at which they begin, word@1.25, and aligned as for the word error rate. A word
// that is missing or wrong is not found. Said with the score: the mean and the mean size of the offsets of all
// words that are right.
//
//   reference   one@0.12 two@0.58          output   one@0.14 two@0.50          100 · 1 / 2 within 40 ms
#include <algorithm>
#include <charconv>
#include <cmath>

#include "heed/base/error.h"
#include "heed/metric/edit_alignment.h"
#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

/// Words, and the seconds at which they begin.
struct TimedWords {
  std::vector<std::string> words;
  std::vector<double> starts;
};

TimedWords timed(const std::string& line) {
  TimedWords all;
  for (const std::string& token : words()->split(line)) {
    const size_t at = token.rfind('@');
    double start = 0;
    const char* const last = token.data() + token.size();
    const auto [end, fault] = at == std::string::npos
                                  ? std::from_chars_result{last, std::errc::invalid_argument}
                                  : std::from_chars(token.data() + at + 1, last, start);
    if (fault != std::errc() || end != last || !std::isfinite(start)) {
      fail(Fault::file,
           "start_times: \"{}\" must be a word and the second at which it begins, such as one@1.25",
           token.substr(0, 60));
    }
    all.words.push_back(token.substr(0, at));
    all.starts.push_back(start);
  }
  return all;
}

class StartTimes : public Metric {
 public:
  std::string_view name() const override { return "start_times"; }
  std::string title() const override { return "Starts"; }
  bool higher_is_better() const override { return true; }
  bool reads_times() const override { return true; }
  void set(const MetricSettings& settings) override { tolerance_ms_ = settings.tolerance_ms; }
  std::vector<std::string> reads() const override { return {"within"}; }
  Traits traits() const override { return {{"within", fmt::format("{:g}ms", tolerance_ms_)}}; }

  using Metric::score;
  /// Statistics are the words within the tolerance, those of the reference, those that are right, the sum of
  /// their offsets and the sum of their sizes, in seconds.
  double score(const Statistics& sum) const override {
    return 100 * sum[0] / std::max(sum[1], 1.0);
  }
  std::string details(const Statistics& sum) const override {
    const double right = std::max(sum[2], 1.0);
    return fmt::format("(N = {:.0f}, {:.0f} right; offset {:+.1f} ms, size {:.1f} ms)", sum[1],
                       sum[2], 1000 * sum[3] / right, 1000 * sum[4] / right);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    Statistics best;
    for (const std::string& text : references) {
      const Statistics one = counted(timed(hypothesis), timed(text));
      best = best.empty() || score(one) > score(best) ? one : best;
    }
    return best;
  }

 private:
  Statistics counted(const TimedWords& output, const TimedWords& reference) const {
    Statistics sums = {0, static_cast<double>(reference.words.size()), 0, 0, 0};
    size_t i = 0;
    size_t j = 0;
    for (const EditStep edit : edit_alignment(reference.words, output.words)) {
      if (edit == EditStep::same) {
        const double offset = output.starts[j] - reference.starts[i];
        constexpr double rounding = 1e-9;
        sums[0] += std::abs(offset) <= tolerance_ms_ / 1000 + rounding ? 1 : 0;
        sums[2] += 1;
        sums[3] += offset;
        sums[4] += std::abs(offset);
      }
      i += edit == EditStep::insertion ? 0 : 1;
      j += edit == EditStep::deletion ? 0 : 1;
    }
    return sums;
  }

  double tolerance_ms_ = 40;
};

}  // namespace

std::unique_ptr<Metric> start_times() { return std::make_unique<StartTimes>(); }

}  // namespace heed
