// A family: the models of one kind of another toolkit. It says what their settings mean, and what heed
// calls their tensors.
#pragma once

#include <memory>

#include "heed/import/model_folder.h"
#include "heed/model/file/safetensors.h"

namespace heed {

class Family {
 public:
  virtual ~Family() = default;
  /// Whether the model of this folder is one of the family.
  virtual bool owns(ModelFolder& folder) const = 0;
  /// The contents of a heed file that says what the original says, without the names of tied tensors.
  /// Fault::file where a file is missing or says what heed cannot do.
  virtual SafetensorsFile read(ModelFolder& folder) const = 0;
};

}  // namespace heed
