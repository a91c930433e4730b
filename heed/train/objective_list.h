// The objectives of a run together: one forward pass of a batch, the weighted sum of their losses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/train/objective.h"

namespace heed {

class ObjectiveList {
 public:
  /// Teacher forcing alone.
  ObjectiveList();

  /// As the setting "objectives" of its owner.
  void describe(Describer& d);
  void add(std::unique_ptr<Objective> objective) { all_.push_back(std::move(objective)); }

  /// Fault::usage with the reason where the model cannot give what they need, or where no gradient
  /// would reach some part of it.
  void attach(Model& model);

  /// What one batch is taught with.
  struct Lesson {
    const Model& model;
    const Batch& batch;
    RunProgress progress;
    double label_smoothing = 0;
    const Feed* feed = nullptr;  // null: the right words are fed
  };
  struct Losses {
    Tensor total;              // Σ w L, with its history
    std::vector<Tensor> each;  // L of each objective, without it; empty where there is one only
  };
  Losses operator()(const Lesson& lesson, Pass& pass) const;
  /// After an update.
  void follow() const;

  /// "teacher_forcing"; a second one of a kind is "teacher_forcing.2".
  std::vector<std::string> names() const;
  std::vector<double> weights(const RunProgress& progress) const;
  /// What they remember: "doubly_stochastic.NAME".
  std::vector<NamedParameter> state() const;
  std::vector<NamedNumber> numbers() const;

 private:
  std::vector<std::unique_ptr<Objective>> all_;
};

}  // namespace heed
