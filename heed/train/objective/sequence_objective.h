// Shared by objectives that judge whole outputs of the model by a metric ("when you don't know the
// loss, use reinforcement learning"). Outputs are found without dropout. They are taught without it as
// well, so that what is taught is the very model that found them; or with it (`dropout`), as
// teacher_forcing teaches, where the model would otherwise learn its training sentences by heart. A
// recipe starts them from a model that can already say something sensible (training.init).
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

  /// A batch that is encoded without dropout.
  struct EncodedBatch {
    const Model& model;
    const Autoregressive& decoder;
    const Batch& batch;
    Encoded source;
    std::vector<TaughtOutput> right;
    std::vector<References> references;  // of each sentence
  };
  EncodedBatch encoded_batch(const TaughtBatch& taught) const;
  /// `samples` outputs of every sentence, drawn by the key of the batch at a temperature.
  std::vector<TaughtOutput> sampled(const EncodedBatch& encoded, double temperature,
                                    const RandomKey& key) const;
  std::vector<double> rewards_of(const std::vector<TaughtOutput>& outputs,
                                 const EncodedBatch& encoded) const;
  /// ln p of each output at a temperature, [C], with its history; dropout is drawn by the key of
  /// the batch.
  Tensor taught_log_probabilities(const EncodedBatch& encoded,
                                  const std::vector<TaughtOutput>& outputs, double temperature,
                                  const RandomKey& key) const;

 private:
  int64_t samples_ = 4;
  bool has_dropout_ = false;
  SequenceReward reward_;
};

/// The mean of some numbers as a tensor, to be shown.
Tensor mean_of(const std::vector<double>& numbers, const Place& place);

}  // namespace heed
