#include "heed/train/objective/sequence_reward.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/token_items.h"
#include "heed/metric/metrics.h"
#include "heed/train/objective/outputs.h"

namespace heed {
namespace {

/// Equal sources of neighbours are stored once, so the bytes are seldom compared to their end.
bool is_same_source(ItemView a, ItemView b) {
  return (a.data() == b.data() && a.size() == b.size()) || std::ranges::equal(a, b);
}

// An unknown word is one character, however it is spelt. That of an output is another one than that of a
// reference, of private use, so that it is never right.
constexpr std::string_view in_references = "\uFFFD";
constexpr std::string_view in_outputs = "\uE000";

}  // namespace

/// Sentences are judged one by one, and short ones have no 4-grams.
SequenceReward::SequenceReward() { scoring_.uses_effective_order = true; }

void SequenceReward::describe(Describer& d) {
  d.setting("metric", name_,
            name_from(metrics().listing(), "the metric that an output is judged by"));
  d.child("scoring", scoring_);
}

void SequenceReward::prepare(const Corpus& train, const std::string& who) {
  const Field& target = *train.fields().target;
  metric_ = metrics().make(name_);
  metric_->set(scoring_);
  if (!metric_->reads_text()) {
    fail(Fault::usage,
         "training.objectives: {} cannot use the metric {}, which compares {}; choose one that "
         "compares text",
         who, name_, metric_->reads_links() ? "alignments" : "times");
  }
  if (!target.has_vocabulary()) {
    fail(Fault::usage,
         "training.objectives: {} judges text, and the target has no words; leave it out", who);
  }
  vocabulary_ = target.shared_vocabulary();
  documents_ = documents_of(train);
  if (metric_->needs_corpus()) {
    metric_ = metric_->informed_by(documents_);
  }
  if (documents_.size() == document_of_.size()) {
    documents_.clear();
    document_of_.clear();
  }
}

std::string SequenceReward::text_of(std::span<const TokenId> words,
                                    std::string_view unknown_word) const {
  const TokenId unknown = vocabulary_->specials().unknown();
  std::string text = vocabulary_->decode(words);
  if (std::ranges::find(words, unknown) != words.end()) {
    const std::string spelt = vocabulary_->decode(std::span(&unknown, 1));
    for (size_t at = text.find(spelt); at != std::string::npos; at = text.find(spelt, at)) {
      text.replace(at, spelt.size(), unknown_word);
    }
  }
  return text;
}

/// Examples of one source are neighbours.
std::vector<References> SequenceReward::documents_of(const Corpus& train) {
  std::vector<References> documents;
  document_of_.clear();
  for (int64_t i = 0; i < train.size(); ++i) {
    if (i == 0 || !is_same_source(train.source(i), train.source(i - 1))) {
      documents.emplace_back();
    }
    documents.back().push_back(text_of(ids_of(train.target(i)), in_references));
    document_of_.push_back(documents.size() - 1);
  }
  return documents;
}

std::vector<References> SequenceReward::references_of(const Batch& batch) const {
  std::vector<References> all;
  if (!document_of_.empty() && !batch.examples.empty()) {
    for (const int64_t example : batch.examples) {
      all.push_back(documents_.at(document_of_.at(static_cast<size_t>(example))));
    }
    return all;
  }
  for (const TaughtOutput& right : right_outputs(batch)) {
    all.push_back({text_of(right.ids, in_references)});
  }
  return all;
}

double SequenceReward::operator()(std::span<const TokenId> output,
                                  const References& references) const {
  const std::string said = text_of(output, in_outputs);
  const double score = metric_->score(std::span(&said, 1), std::span(&references, 1)) / 100;
  return metric_->higher_is_better() ? score : -score;
}

}  // namespace heed
