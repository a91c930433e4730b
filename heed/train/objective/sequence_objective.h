// Shared by objectives that judge whole outputs of the model by a metric ("when you don't know the
// loss, use reinforcement learning"). Outputs are found and taught without dropout: what is taught
// is the very model that found them. A recipe starts them from a model that can already say
// something sensible (training.init).
#pragma once

#include "heed/data/corpus.h"
#include "heed/search/search_options.h"
#include "heed/train/objective.h"
#include "heed/train/objective/outputs.h"
#include "heed/train/objective/sequence_reward.h"

namespace heed {

class SequenceObjective : public Objective {
 public:
  void describe(Describer& d) override;
  void attach(Model& model) override;
  void see(const Corpus& train) override { reward_.prepare(train, kind()); }
  bool reads_decoded() const override { return false; }
  bool teaches_words() const override { return true; }

 protected:
  int64_t samples() const { return samples_; }
  const SequenceReward& reward() const { return reward_; }

  /// A batch that is encoded once, for searching and for teaching.
  struct Lesson {
    const Model& model;
    const Autoregressive& decoder;
    const Batch& batch;
    Encoded encoded;
    std::vector<Output> right;
    std::vector<References> references;  // of each sentence
  };
  Lesson lesson_of(const TaughtBatch& taught, Pass& pass) const;
  /// `samples` outputs of every sentence, drawn by the key of the batch.
  std::vector<Output> sampled(const Lesson& lesson, const RandomKey& key) const;
  std::vector<double> rewards_of(const std::vector<Output>& outputs, const Lesson& lesson) const;

 private:
  int64_t samples_ = 4;
  SequenceReward reward_;
};

/// The mean of some numbers as a tensor, to be shown.
Tensor mean_of(const std::vector<double>& numbers, const Place& place);

}  // namespace heed
