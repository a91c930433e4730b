// How good an output is by a metric, as a number that a sequence-level objective can learn from:
// 1 for a score of 100, and the higher the better. A metric of which the lower value is better, such
// as an error rate, gives 0 for a perfect output and −1 for a score of 100. A metric that weighs by a
// corpus (CIDEr-D) takes the targets of the training data; those of one source are one document.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/data/corpus.h"
#include "heed/metric/metric.h"

namespace heed {

class SequenceReward {
 public:
  SequenceReward();

  /// Lists the settings `metric` and `scoring` of the owner.
  void describe(Describer& d);
  /// Makes the metric. Fault::usage if it compares something else than text, or if the target has no
  /// vocabulary. `who` is the objective.
  void prepare(const Corpus& train, const std::string& who);

  /// The reward of an output, given the right one; both as token ids without special tokens.
  double operator()(std::span<const TokenId> output, std::span<const TokenId> right) const;
  /// The reward of a perfect output.
  double best() const { return metric_->best() / 100; }

 private:
  std::string name_ = "bleu";
  MetricSettings scoring_;
  std::unique_ptr<Metric> metric_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace heed
