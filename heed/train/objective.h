// A summand of the training's loss. The loss of a run is the weighted sum of its objectives,
//
//   loss = Σ_k w_k(step) L_k,     w_k(step) = weight · factor(step)
//
// with the factor of a schedule, like the learning rate's. Each L_k is one number for a batch,
// divided by its N target tokens, so that batches can be averaged by their tokens.
//
// Each objective teaches one decoder. All see the same encoding of a batch, and all objectives of a
// decoder see the same forward pass. The state of an objective is part of the checkpoint.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/base/philox.h"
#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/nn/pass.h"
#include "heed/train/schedule.h"

namespace heed {

class Corpus;

/// One batch and the output of the objective's decoder for it, given the words that were fed. The
/// attention weights are `decoded.reports.back().weights`, [N, H, S] of the last block that reads the
/// source, if the objective's `report()` asks for them with {.weights = true}.
struct TaughtBatch {
  const Batch& batch;
  const Decoded& decoded;      // empty if the objective does not read it
  double label_smoothing = 0;  // of the training, for objectives without their own
  const Model* model = nullptr;
  RandomKey key = {};  // of what is drawn for this batch alone
};

/// A number with its name in the checkpoint.
struct NamedNumber {
  std::string name;
  double* value;
};

class Objective : public Described {
 public:
  Objective();
  void describe(Describer& d) override;

  /// The name of the decoder that it teaches.
  const std::string& decoder() const { return decoder_; }
  /// What the forward pass must report for it; reports have gradients.
  virtual Report report() const { return {}; }
  /// Called when the model is built. Fault::usage if the model cannot give what this objective
  /// needs.
  virtual void attach(Model& model);
  /// Gives the path of a file that a recipe names; called before `see`.
  using Locate = std::function<std::string(const std::string& path)>;
  virtual void locate(const Locate& /*locate*/) {}
  /// Called with the training data, before the first step.
  virtual void see(const Corpus& /*train*/) {}

  /// Whether it reads TaughtBatch::decoded; if no objective of a decoder does, that pass is saved.
  virtual bool reads_decoded() const { return true; }
  /// Whether it reads Decoded::by_slot.
  virtual bool reads_slots() const { return false; }
  /// Whether it teaches the decoder which words to say.
  virtual bool teaches_words() const { return false; }
  /// Whether it teaches where to look although the attention to the source chooses one slot, which
  /// has no gradient.
  virtual bool teaches_choices() const { return false; }
  /// Whether it teaches a decoder how long its outputs are.
  virtual bool teaches_lengths() const { return false; }

  /// Called when a step begins.
  virtual void begin() {}
  /// L for this batch: one number with its history.
  virtual Tensor operator()(const TaughtBatch& taught) = 0;
  /// What else of a batch its line of metrics.jsonl shows: names, and after the operator was called
  /// one number for each, without history. Batches are averaged by their tokens.
  virtual std::vector<std::string> measure_names() const { return {}; }
  virtual std::vector<Tensor> measures() const { return {}; }
  /// Called after an update: adds what the losses of this step have seen to its state. A skipped
  /// step does not change the state.
  virtual void follow() {}

  /// Its state between steps; the pointers are valid as those of Optimiser::state.
  virtual std::vector<NamedParameter> state() { return {}; }
  virtual std::vector<NamedNumber> numbers() { return {}; }

  /// w at this progress.
  double weight(const RunProgress& progress) const;

 private:
  std::string decoder_ = Model::main_decoder;
  double weight_ = 1;
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace heed
