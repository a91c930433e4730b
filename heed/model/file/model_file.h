// A trained model as one safetensors file: weights, configuration, fields with their vocabularies,
// hash. Nothing else is needed to use it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "heed/base/json.h"
#include "heed/data/field.h"
#include "heed/model/file/safetensors.h"
#include "heed/model/model.h"

namespace heed {

/// A model with the fields that read its source and write its target.
struct TrainedModel {
  std::unique_ptr<Model> model;
  Fields fields;
  std::map<std::string, std::string> about;  // free text: task, recipe, step, score, licence, …
  Json search = Json::object();  // the settings of search that it wants, such as {"beam": 5}
  std::string stored = "f32";    // how the file it was read from stores matrices
};

/// The model as a file's contents (a checkpoint adds the optimiser's tensors to it). They are read from
/// the model when they are written, so it must not change before.
SafetensorsFile model_contents(const TrainedModel& trained);
/// Builds the model and fills its weights. Every parameter must be present, with its shape and
/// finite, and no other tensor may be present (names that start with `ignored_prefix` are ignored).
TrainedModel model_from(const SafetensorsFile& file, const Place& place, const std::string& who,
                        const std::string& ignored_prefix = "");
/// The fields of a model file or a checkpoint, with one vocabulary if both sides share it. A file
/// that names no fields has text.
Fields fields_from(const SafetensorsFile& file, const std::string& who);
/// The model's settings.
Json model_config_from(const SafetensorsFile& file, const std::string& who);

/// The settings of search that the model wants; an empty object if it wants none.
Json search_from(const SafetensorsFile& file, const std::string& who);

/// Fills the weights of a built model, under the same conditions.
void fill_weights(Model& model, const SafetensorsFile& file, const std::string& who,
                  const std::string& ignored_prefix = "");

void save_model(const std::string& path, const TrainedModel& trained);
/// Also loads a checkpoint; its optimiser's tensors are ignored.
TrainedModel load_model(const std::string& path, const Place& place);

}  // namespace heed
