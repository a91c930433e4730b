// Models of other toolkits as heed's. A folder is read as what it is, nothing of it is executed, and
// what comes out is checked like any model file. Formats say how tensors are stored, families what they
// mean.
#pragma once

#include <string>
#include <vector>

#include "heed/model/file/model_file.h"

namespace heed {

/// Whether this is a folder with a model of another toolkit.
bool is_foreign_model(const std::string& path);

struct ImportedModel {
  TrainedModel trained;
  SafetensorsFile
      contents;  // what a heed file holds; the tensors' bytes are still those of the folder
  std::string family;
};
/// Reads the model of a folder. Fault::file where it cannot be, with the reason.
ImportedModel import_model(const std::string& folder, const Place& place);

/// Loads a heed file, a checkpoint, or a folder with a model of another toolkit.
TrainedModel load_any_model(const std::string& path, const Place& place);

}  // namespace heed
