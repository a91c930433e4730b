// How good an output is by a metric, as a number that a sequence-level objective can learn from:
// 1 for a score of 100, and the higher the better. A metric of which the lower value is better, such
// as an error rate, gives 0 for a perfect output and −1 for a score of 100. A metric that weighs by a
// corpus (CIDEr-D) takes the targets of the training data; those of one source are one document.
//
// An output is compared with every target that the training data has for its source: all captions of a
// picture, all translations of a sentence. An unknown word of a target is written as a sign that no
// output has, so that saying <unk> is never rewarded.
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

  /// The texts that outputs of each sentence of a batch are compared with. If the batch is of another
  /// corpus than the one that was prepared for, each has its own target alone.
  std::vector<References> references_of(const Batch& batch) const;
  /// The reward of an output, as token ids without special tokens.
  double operator()(std::span<const TokenId> output, const References& references) const;
  /// The reward of a perfect output.
  double best() const { return metric_->best() / 100; }

 private:
  std::string text_of(std::span<const TokenId> words, std::string_view unknown_word) const;
  std::vector<References> documents_of(const Corpus& train);

  std::string name_ = "bleu";
  MetricSettings scoring_;
  std::unique_ptr<Metric> metric_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  // The targets of each source, and the source of each example; both are empty if no source of the
  // training data has several targets.
  std::vector<References> documents_;
  std::vector<size_t> document_of_;
};

}  // namespace heed
