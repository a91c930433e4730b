// What training makes small. The loss of a run is the sum of its objectives,
//
//   loss = Σ_k w_k(step) L_k,     w_k(step) = weight · factor(step)
//
// with the factor of a schedule, as the learning rate has one. Each L_k is one number for a batch,
// divided by its N target tokens, so that batches can be added by their tokens.
//
// All objectives see the same forward pass of a batch. What one must remember from step to step goes
// into the checkpoint.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/batch.h"
#include "heed/model/model.h"
#include "heed/nn/pass.h"
#include "heed/train/schedule.h"

namespace heed {

/// One batch and what the model said of it, given the right words before each position.
struct TaughtBatch {
  const Batch& batch;
  const Decoded& decoded;
  double label_smoothing = 0;  // of the training, for objectives that have none of their own
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

  /// What the forward pass must report for it; reports carry gradients.
  virtual Report report() const { return {}; }
  /// The model is built. Fault::usage with the reason where it cannot give what this objective needs.
  virtual void attach(Model& model);
  /// L for this batch: one number with its history.
  virtual Tensor operator()(const TaughtBatch& taught) = 0;
  /// After an update: takes in what the losses of this step have seen. A step that is skipped
  /// teaches it nothing.
  virtual void follow() {}

  /// What it remembers from step to step; pointers as of Optimiser::state.
  virtual std::vector<NamedParameter> state() { return {}; }
  virtual std::vector<NamedNumber> numbers() { return {}; }

  /// w at this progress.
  double weight(const RunProgress& progress) const;

 private:
  double weight_ = 1;
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace heed
