// How good a model is, by what it never trained on: its loss there, and what a metric says of its
// translations.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/metric/metric.h"
#include "heed/model/model.h"
#include "heed/train/training.h"

namespace heed {

/// Source texts → outputs.
using Translate = std::function<std::vector<std::string>(std::span<const std::string>)>;

struct Judgement {
  double loss = 0;
  double score = 0;  // the loss where no metric judges
};

class Validator {
 public:
  /// `valid` must outlive it. Fault::usage where the training's settings contradict each other.
  Validator(const Training& training, const Corpus& valid, Translate translate);

  /// Whether there is anything to judge by.
  bool is_there() const;
  /// Asks `goes_on` every little while; nothing where it says no.
  std::optional<Judgement> judge(const Model& model, const std::function<bool()>& goes_on) const;
  /// Of the scores of two judgements.
  bool higher_is_better() const { return metric_ && metric_->higher_is_better(); }
  /// Of the first `count` sentences or of all there are; what they should say, each reference as
  /// good as the next.
  std::vector<std::string> sources(int64_t count) const;
  std::vector<References> references(int64_t count) const;
  /// How many are decoded for the metric.
  int64_t decoded() const;

 private:
  std::optional<double> score(const std::function<bool()>& goes_on) const;

  const Training& training_;
  const Corpus& valid_;
  Translate translate_;
  std::unique_ptr<Metric> metric_;  // null: the loss judges
};

}  // namespace heed
