// All objectives of a run: one encoding of a batch, one pass of each decoder that is taught, and
// the weighted sum of their losses.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heed/train/objective.h"

namespace heed {

class ObjectiveList {
 public:
  /// Teacher forcing only.
  ObjectiveList();

  /// Lists them as the setting "objectives" of the owner.
  void describe(Describer& d);
  void add(std::unique_ptr<Objective> objective) { all_.push_back(std::move(objective)); }

  /// Fault::usage if the model cannot give what they need, or if no gradient would reach some part
  /// of it.
  void attach(Model& model);
  /// Tells them where the files lie that they name; called before `see`.
  void locate(const Objective::Locate& locate) const;
  /// Shows them the training data.
  void see(const Corpus& train) const;

  /// A batch and everything that its losses depend on.
  struct Input {
    const Model& model;
    const Batch& batch;
    RunProgress progress;
    double label_smoothing = 0;
    const Feed* feed = nullptr;  // null: the right words are fed
    RandomKey key = {};          // of what is drawn for this batch alone
  };
  struct Losses {
    Tensor total;  // Σ w L, with its history
    /// L of each objective, then the measures of all, without history; empty if there is one
    /// objective and no measure.
    std::vector<Tensor> each;
  };
  Losses operator()(const Input& input, Pass& pass) const;
  /// Called when a step begins, and after an update.
  void begin() const;
  void follow() const;

  /// "teacher_forcing"; a second objective of the same kind is "teacher_forcing.2"; one that
  /// teaches another decoder than the main one is "NAME.teacher_forcing".
  std::vector<std::string> names() const;
  std::vector<double> weights(const RunProgress& progress) const;
  /// The names of the measures of each objective.
  std::vector<std::vector<std::string>> measure_names() const;
  /// Their state, with names such as "doubly_stochastic.NAME".
  std::vector<NamedParameter> state() const;
  std::vector<NamedNumber> numbers() const;

 private:
  /// Whether its losses are shown one by one.
  bool has_several_numbers() const;
  /// Fault::usage if a normaliser that chooses a slot stops the gradient and no objective teaches
  /// where to look.
  void check_gradients(Model& model) const;
  /// The output of each decoder that is taught for the batch, by its name.
  std::map<std::string, Decoded> taught(const Input& input, Pass& pass) const;
  /// Fault::usage if no objective teaches some decoder, or the lengths of a parallel one, whose weights
  /// would never change.
  void check_words_are_taught(const std::string& decoder) const;
  void check_all_are_taught(const Model& model) const;
  bool has(const std::string& decoder, const std::string& kind) const;

  std::vector<std::unique_ptr<Objective>> all_;
};

}  // namespace heed
