// A trained model as one safetensors file: weights, configuration, vocabularies, hash. Nothing else
// is needed to use it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "heed/data/vocabularies.h"
#include "heed/model/model.h"
#include "heed/model/safetensors.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// A model with what turns text into its ids and back.
struct Translator {
  std::unique_ptr<Model> model;
  std::shared_ptr<const Vocabulary> source;
  std::shared_ptr<const Vocabulary> target;
  std::map<std::string, std::string> about;  // free words: task, recipe, step, score, licence …
};

/// The model as a file's contents (a checkpoint adds the optimiser's tensors to it).
SafetensorsFile model_contents(const Translator& translator);
/// Builds the model and fills its weights; every parameter must be there with its shape, finite,
/// and nothing unknown beside it (names that start with `ignored_prefix` are passed over).
Translator model_from(const SafetensorsFile& file, const Place& place, const std::string& who,
                      const std::string& ignored_prefix = "");
/// A model file's or a checkpoint's; one object where both sides share it.
VocabularyPair vocabularies_from(const SafetensorsFile& file, const std::string& who);

/// Fills a model that is built already, under the same conditions.
void fill_weights(Model& model, const SafetensorsFile& file, const std::string& who,
                  const std::string& ignored_prefix = "");

void save_model(const std::string& path, const Translator& translator);
/// A checkpoint will do as well: its optimiser's tensors are passed over.
Translator load_model(const std::string& path, const Place& place);

}  // namespace heed
