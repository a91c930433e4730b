// One step of training: the gradient of some batches together, clipped, then one update.
//
//   loss = Σ_k Σ −ln p / Σ_k N_k,   N_k the target tokens of batch k
//
// So `accumulate` batches give what one batch with all their sentences would.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/prefetch.h"
#include "heed/model/model.h"
#include "heed/train/clip.h"
#include "heed/train/training.h"

namespace heed {

/// Where a step stands.
struct StepPlace {
  int64_t step = 0;   // steps before it
  int64_t batch = 0;  // batches before it
  int64_t falls = 0;  // see RunProgress
};

struct StepOutcome {
  double loss = 0;
  int64_t tokens = 0;  // target tokens
  GradientNorm norm;
  double learning_rate = 0;
  int64_t epoch = 0;

  /// Where not, the weights are as they were.
  bool is_finite() const;
};

class Stepper {
 public:
  /// All must outlive it. Attaches optimiser and average to the model's parameters.
  Stepper(Training& training, Model& model, const Corpus& train);

  StepOutcome take(const StepPlace& place);

 private:
  /// Gathers the gradient; false where the loss is not finite.
  bool gather(const StepPlace& place, StepOutcome& outcome);

  Training& training_;
  Model& model_;
  PrefetchedBatches batches_;
  std::vector<NamedParameter> parameters_;
};

}  // namespace heed
