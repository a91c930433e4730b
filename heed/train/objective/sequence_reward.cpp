#include "heed/train/objective/sequence_reward.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/token_items.h"
#include "heed/metric/metrics.h"

namespace heed {
namespace {

/// Equal sources of neighbours are stored once, so the bytes are seldom compared to their end.
bool is_same_source(ItemView a, ItemView b) {
  return (a.data() == b.data() && a.size() == b.size()) || std::ranges::equal(a, b);
}

/// The targets of each source. Examples of one source are neighbours.
std::vector<References> documents_of(const Corpus& train, const Vocabulary& vocabulary) {
  std::vector<References> documents;
  for (int64_t i = 0; i < train.size(); ++i) {
    if (i == 0 || !is_same_source(train.source(i), train.source(i - 1))) {
      documents.emplace_back();
    }
    documents.back().push_back(vocabulary.decode(ids_of(train.target(i))));
  }
  return documents;
}

}  // namespace

/// Sentences are judged one by one, and short ones have no 4-grams.
SequenceReward::SequenceReward() { scoring_.uses_effective_order = true; }

void SequenceReward::describe(Describer& d) {
  d.setting("metric", name_,
            {.help = "the metric that an output is judged by", .choices = metrics().names()});
  d.child("scoring", scoring_);
}

void SequenceReward::prepare(const Corpus& train, const std::string& who) {
  const Field& target = *train.fields().target;
  metric_ = metrics().make(name_);
  metric_->set(scoring_);
  if (!metric_->reads_text()) {
    fail(Fault::usage,
         "training.objectives: saw {} with the metric {}, which compares {}, needs one that "
         "compares text; choose another",
         who, name_, metric_->reads_links() ? "alignments" : "times");
  }
  if (!target.has_vocabulary()) {
    fail(
        Fault::usage,
        "training.objectives: saw {} and a target without words, needs text to judge; leave it out",
        who);
  }
  vocabulary_ = target.shared_vocabulary();
  if (metric_->needs_corpus()) {
    metric_ = metric_->informed_by(documents_of(train, *vocabulary_));
  }
}

double SequenceReward::operator()(std::span<const TokenId> output,
                                  std::span<const TokenId> right) const {
  const std::string said = vocabulary_->decode(output);
  const References references = {vocabulary_->decode(right)};
  const double score = metric_->score(std::span(&said, 1), std::span(&references, 1)) / 100;
  return metric_->higher_is_better() ? score : -score;
}

}  // namespace heed
