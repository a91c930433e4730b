// Judges a model on data that it never trained on: by its loss there, and by a metric of its
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
  double score = 0;  // if no text is judged: the loss or the perplexity
};

class Validator {
 public:
  /// `valid` must outlive it. Fault::usage where the training's settings contradict each other.
  Validator(const Training& training, const Corpus& valid, Translate translate);

  /// Whether there is validation data and validation is on.
  bool is_there() const;
  /// Calls `goes_on` often; returns nothing if it returns false.
  std::optional<Judgement> judge(const Model& model, const std::function<bool()>& goes_on) const;
  /// The metric of the translations; nothing if `goes_on` returns false. Only where texts are judged.
  std::optional<double> score(const std::function<bool()>& goes_on) const;
  /// Whether the higher of two scores is the better one.
  bool higher_is_better() const { return metric_ && metric_->higher_is_better(); }
  /// The sources and references of the first `count` sentences, or of all if there are fewer.
  std::vector<std::string> sources(int64_t count) const;
  std::vector<References> references(int64_t count) const;
  /// Rows to show: at most `count` of those that are decoded, spread over them, with distinct sources.
  std::vector<Row> samples(int64_t count) const;
  /// The number of sentences decoded for the metric.
  int64_t decoded() const;

 private:
  const Training& training_;
  const Corpus& valid_;
  Translate translate_;
  std::unique_ptr<Metric> metric_;  // null: the loss judges
};

}  // namespace heed
