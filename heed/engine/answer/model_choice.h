// The models that answer: found by their names, loaded, checked to be of the kind that is wanted, and
// made ready to serve.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/engine/answer/answer.h"
#include "heed/engine/answer/answer_kinds.h"

namespace heed {

/// What a model gives for a source.
const AnswerKind& kind_given_by(const TrainedModel& trained);

struct ModelChoice {
  std::vector<std::string> models = {};  // names or paths; none: the first on the shelf that fits
  std::string language_model = {};       // empty: none
  std::string backend = "cpu";
  std::string precision = "f32";  // of products with weights
  bool is_monotonic = false;      // attention only moves forwards
  std::string front_end = {};     // makes features of recordings for models of features
  std::string kept_label = {};    // only models that have this label are taken
};

class ChosenModels {
 public:
  using Say = std::function<void(const std::string& line)>;

  explicit ChosenModels(const AnswerKind& kind) : kind_(&kind) {}

  /// Loads all but the language model. Fault::usage where another kind of answer is meant, or where
  /// the models do not go together. `say` hears what was loaded; it may be empty.
  void load(const ModelChoice& choice, const ModelShelf& shelf, const Say& say);
  /// Null if there is none. Call it after load.
  const Model* load_language_model();

  const std::vector<TrainedModel>& all() const { return loaded_; }
  const TrainedModel& first() const { return loaded_.front(); }
  TrainedModels together() const { return together_; }
  /// The file of a model.
  const std::string& file(size_t i) const { return files_[i]; }
  /// The name of a model in a drawing: that of its run's folder, or of its file.
  std::string drawn_name(size_t i) const;
  /// All files that were read.
  std::vector<std::string> files() const;
  /// Whether the decoder of one of them says where it looked.
  bool align() const;

 private:
  std::string file_of(const std::string& name) const;
  void check_kind(const TrainedModel& trained, const std::string& file) const;
  void check_source(const TrainedModel& trained, const std::string& file) const;

  const AnswerKind* kind_;
  ModelChoice choice_;
  ModelShelf shelf_;
  std::vector<std::string> files_;
  std::string language_file_;
  std::vector<TrainedModel> loaded_;
  std::vector<const TrainedModel*> together_;
  std::vector<TrainedModel> language_;  // one or none
};

}  // namespace heed
