// What folders of transformers have in common, whatever their family.
#pragma once

#include <string>
#include <vector>

#include "heed/import/foreign_settings.h"
#include "heed/import/model_folder.h"

namespace heed {

inline constexpr const char* config_file = "config.json";

/// The names of files with weights, in the order in which they are looked for.
const std::vector<std::string>& weight_files();

/// The kind of model that config.json names; empty if there is none.
std::string model_type(ModelFolder& folder);

/// Marks the settings of config.json as known that every model has and that change nothing.
void ignore_usual(ForeignSettings& settings);

/// heed's name of an activation; null if heed has none like it.
const char* activation_named_by(std::string_view theirs);
/// The same of a setting; Fault::file if heed has none like it.
std::string activation_of(ForeignSettings& settings, std::string_view name, std::string_view usual);

/// The contents of a heed file without its vocabularies, with what the model card and the tokeniser say
/// about the model.
SafetensorsFile contents_of(ModelFolder& folder, const Json& model, const Json& search,
                            std::vector<FileTensor> tensors);

}  // namespace heed
