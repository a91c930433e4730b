// The tensors of another toolkit's file, by the names that it gave them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/model/file/safetensors.h"

namespace heed {

struct WeightTable {
  std::vector<FileTensor> tensors = {};
  /// What else has a name, and what it is instead of a tensor that heed can hold: "a tensor of I64".
  std::map<std::string, std::string> others = {};
};

}  // namespace heed
