// Converts tensors to the bytes of a file and back. Values that are not finite are refused both
// ways.
#pragma once

#include <string>

#include "heed/model/safetensors.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// Fault::diverged where a value is not finite.
FileTensor file_tensor(const std::string& name, const Tensor& tensor);

/// to ← from, cast to its element type; Fault::file where the shapes differ or a value is not
/// finite. `who` names the file.
void fill_from(const Tensor& to, const FileTensor& from, const std::string& who);

}  // namespace heed
