// One step of training: the gradient of some batches together is clipped, then one update is made.
//
//   loss = Σ_k N_k loss_k / Σ_k N_k,   N_k the target tokens of batch k
//
// So `accumulate` batches give the same as one batch with all their sentences. Their gradients are
// computed apart and added in the order of a fixed tree (gradient_tree.h).
//
// A backend may still be computing when the host goes on. So the next step's batches are uploaded
// before the host reads this step's numbers, which it has to wait for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/prefetch.h"
#include "heed/model/model.h"
#include "heed/train/clip.h"
#include "heed/train/training.h"

namespace heed {

/// How far the run is when a step begins.
struct StepStart {
  int64_t step = 0;     // steps before it
  int64_t batches = 0;  // batches before it
  int64_t falls = 0;    // see RunProgress
};

struct StepOutcome {
  double loss = 0;
  /// As ObjectiveList::Losses::each: the loss of each, without its weight, then their measures.
  std::vector<double> objectives;
  int64_t tokens = 0;  // target tokens
  GradientNorm norm;
  double learning_rate = 0;
  int64_t epoch = 0;

  /// If not, the step has not changed the weights.
  bool is_finite() const;
  /// What is not finite.
  std::string trouble() const;
};

class Stepper {
 public:
  /// All must outlive it. Attaches the training's objectives to the model, and its optimiser and
  /// average to the model's parameters.
  Stepper(Training& training, Model& model, const Corpus& train);

  /// Takes a step. The host reads from the backend once, after the backward pass: the loss and the
  /// norm.
  StepOutcome take(const StepStart& start);

 private:
  /// The batches of one step.
  struct StepBatches {
    int64_t first = -1;  // the number of the first; −1: there are none
    int64_t epoch = 0;
    int64_t tokens = 0;
    std::vector<Batch> batches;
  };
  /// Those from batch `first` on.
  StepBatches batches_from(int64_t first);
  /// Uploads those of the step after this one, if there is one. If that fails, they are asked for
  /// again when it begins, and it is then that the failure matters.
  void prepare_next(const StepStart& start);
  /// The numbers of one batch, still on the backend.
  struct BatchLosses {
    double share = 1;             // of the step's tokens
    std::vector<Tensor> numbers;  // its share of the loss, then ObjectiveList::Losses::each
  };
  RunProgress progress_at(const StepStart& start) const;
  /// Computes the gradient of all batches.
  std::vector<BatchLosses> gather(const StepStart& start, const StepBatches& step);
  /// Reads the numbers and the gradient's norm in one download.
  void read(std::span<const BatchLosses> batches, StepOutcome& outcome) const;

  Training& training_;
  Model& model_;
  PrefetchedBatches batches_;
  StepBatches next_;  // of the next step, if they are ready
  std::vector<NamedParameter> parameters_;
  Tensor random_step_;  // the step in the random keys of the present batch
};

}  // namespace heed
