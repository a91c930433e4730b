#include "heed/train/objective/sequence_reward.h"

#include "heed/base/error.h"
#include "heed/metric/metrics.h"

namespace heed {

/// Sentences are judged one by one, and short ones have no 4-grams.
SequenceReward::SequenceReward() { scoring_.uses_effective_order = true; }

void SequenceReward::describe(Describer& d) {
  d.setting("metric", name_,
            {.help = "the metric that an output is judged by", .choices = metrics().names()});
  d.child("scoring", scoring_);
}

void SequenceReward::prepare(const Field& target, const std::string& who) {
  metric_ = metrics().make(name_);
  metric_->set(scoring_);
  if (metric_->reads_links()) {
    fail(
        Fault::usage,
        "training.objectives: saw {} with the metric {}, which compares alignments, needs one that "
        "compares text; choose another",
        who, name_);
  }
  if (!target.has_vocabulary()) {
    fail(
        Fault::usage,
        "training.objectives: saw {} and a target without words, needs text to judge; leave it out",
        who);
  }
  vocabulary_ = target.shared_vocabulary();
}

double SequenceReward::operator()(std::span<const TokenId> output,
                                  std::span<const TokenId> right) const {
  const std::string said = vocabulary_->decode(output);
  const References references = {vocabulary_->decode(right)};
  const double score = metric_->score(std::span(&said, 1), std::span(&references, 1)) / 100;
  return metric_->higher_is_better() ? score : -score;
}

}  // namespace heed
