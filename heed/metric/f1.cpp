// F1 of labels: of each label y with TP_y positions where both have it, FP_y where only the output has it
// and FN_y where only the reference has it, over the whole corpus,
//
//   F_y = 2 TP_y / (2 TP_y + FP_y + FN_y)        score = 100 mean_y F_y
//
// over all labels of the references (macro-averaged), or F_y of one label, such as that of the words that
// are kept. Missing labels are wrong. Of several references, the one with the most right positions counts.
#include <algorithm>
#include <map>
#include <memory>

#include "heed/base/error.h"
#include "heed/metric/metrics.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

using LabelNumbers = std::map<std::string, std::size_t>;

class LabelF1 : public Metric {
 public:
  std::string_view name() const override { return "f1"; }
  std::string title() const override { return "F1"; }
  bool higher_is_better() const override { return true; }
  void set(const MetricSettings& settings) override {
    label_ = settings.f1_label;
    numbers_ = nullptr;
    if (!label_.empty()) {
      numbers_ = std::make_shared<LabelNumbers>(LabelNumbers{{label_, 0}});
    }
  }
  std::vector<std::string> reads() const override { return {"f1_label"}; }
  Traits traits() const override {
    return {{"label", label_.empty() ? "macro" : label_}, {"tok", "words"}};
  }

  bool needs_corpus() const override { return numbers_ == nullptr; }
  std::unique_ptr<Metric> informed_by(std::span<const References> corpus) const override {
    if (!needs_corpus()) {
      return nullptr;
    }
    auto numbers = std::make_shared<LabelNumbers>();
    for (const References& references : corpus) {
      for (const std::string& reference : references) {
        for (const std::string& label : words()->split(reference)) {
          numbers->emplace(label, numbers->size());
        }
      }
    }
    auto informed = std::make_unique<LabelF1>(*this);
    informed->numbers_ = std::move(numbers);
    return informed;
  }

  using Metric::score;
  /// Statistics are TP, FP and FN of each label; a corpus without labels scores 100.
  double score(const Statistics& sum) const override {
    double total = 0;
    double labels = 0;
    for (std::size_t y = 0; y < sum.size(); y += 3) {
      const double all = 2 * sum[y] + sum[y + 1] + sum[y + 2];
      if (all > 0) {
        total += 2 * sum[y] / all;
        labels += 1;
      }
    }
    return 100 * (labels == 0 ? 1 : total / labels);
  }

 protected:
  Statistics count(const std::string& hypothesis, const References& references) const override {
    const std::vector<std::string> output = words()->split(hypothesis);
    Statistics best;
    std::size_t most = 0;
    for (const std::string& reference : references) {
      const std::vector<std::string> wanted = words()->split(reference);
      std::size_t right = 0;
      for (std::size_t j = 0; j < std::min(output.size(), wanted.size()); ++j) {
        right += output[j] == wanted[j] ? 1 : 0;
      }
      if (best.empty() || right > most) {
        best = compared(output, wanted);
        most = right;
      }
    }
    return best;
  }

 private:
  Statistics compared(const std::vector<std::string>& output,
                      const std::vector<std::string>& wanted) const {
    Statistics counts(3 * numbers_->size(), 0);
    const auto add = [&](const std::string& label, std::size_t what) {
      if (const auto found = numbers_->find(label); found != numbers_->end()) {
        counts[3 * found->second + what] += 1;
      }
    };
    for (std::size_t j = 0; j < std::max(output.size(), wanted.size()); ++j) {
      const bool is_right = j < output.size() && j < wanted.size() && output[j] == wanted[j];
      if (is_right) {
        add(wanted[j], 0);
        continue;
      }
      if (j < output.size()) {
        add(output[j], 1);
      }
      if (j < wanted.size()) {
        add(wanted[j], 2);
      }
    }
    return counts;
  }

  std::string label_;  // empty: the mean over all
  /// Null until the metric knows the labels; Metric::statistics counts with an informed one only.
  std::shared_ptr<const LabelNumbers> numbers_;
};

}  // namespace

std::unique_ptr<Metric> label_f1() { return std::make_unique<LabelF1>(); }

}  // namespace heed
