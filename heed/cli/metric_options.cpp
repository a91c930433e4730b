#include "heed/cli/metric_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed {
namespace {

struct ReadBy {
  const char* setting;
  std::vector<std::string> metrics;
};

const std::vector<ReadBy>& readers() {
  static const std::vector<std::string> of_captions = {"coco_bleu1", "coco_bleu2",  "coco_bleu3",
                                                       "coco_bleu4", "coco_rougeL", "cider_d"};
  static const std::vector<ReadBy> all = {
      {"tokenize", {"bleu"}},
      {"smooth", {"bleu"}},
      {"smooth_value", {"bleu"}},
      {"effective_order", {"bleu"}},
      {"ter_case_sensitive", {"ter"}},
      {"ter_normalized", {"ter"}},
      {"ter_no_punct", {"ter"}},
      {"ter_asian_support", {"ter"}},
      {"f1_label", {"f1"}},
      {"within", {"start_times"}},
      {"caption_no_punct", of_captions},
  };
  return all;
}

}  // namespace

void MetricOptions::options(Options& options) {
  given_ = SettingOptions(options, settings_);
  given_["tokenize"].also("--tokenise");
}

void MetricOptions::only_with(const std::vector<std::string>& others) {
  given_["lowercase"].only_with(others);
  for (const ReadBy& one : readers()) {
    given_[one.setting].only_with(others);
  }
}

void MetricOptions::check_effects(const std::string& verb,
                                  const std::vector<std::string>& metrics) const {
  for (const ReadBy& one : readers()) {
    const Option& option = given_[one.setting];
    const bool is_read = std::any_of(metrics.begin(), metrics.end(), [&one](const auto& name) {
      return std::find(one.metrics.begin(), one.metrics.end(), name) != one.metrics.end();
    });
    if (option.is_given() && !is_read) {
      fail(Fault::usage, "{}: {} has no effect on {}; it is for {}", verb, option.given_as(),
           fmt::join(metrics, ", "), fmt::join(one.metrics, ", "));
    }
  }
  const bool takes_value =
      settings_.smoothing == Smoothing::floor || settings_.smoothing == Smoothing::add_k;
  if (given_["smooth_value"].is_given() && !takes_value) {
    fail(Fault::usage,
         "{}: --smooth-value has no effect without --smooth floor or --smooth add-k; add one, or "
         "leave it out",
         verb);
  }
}

}  // namespace heed
