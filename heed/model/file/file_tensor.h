// Converts tensors to the bytes of a file and back. Values that are not finite are refused both
// ways.
#pragma once

#include <string>
#include <vector>

#include "heed/model/file/safetensors.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// The tensor for a file. Its elements are read when the bytes are, from wherever it lives, so it must
/// not change before the file is written; Fault::diverged where one of them is not finite then.
FileTensor file_tensor(const std::string& name, const Tensor& tensor);

/// The tensor's numbers as f32.
std::vector<float> widened(const FileTensor& tensor);

/// Fault::file unless `from` has the shape of `to` and an element type that it may be stored in.
void check_fit(const Tensor& to, const FileTensor& from, const std::string& who);
/// to ← from, cast to its element type; Fault::file where it does not fit or a value is not finite
/// after the cast. `who` names the file.
void fill_from(const Tensor& to, const FileTensor& from, const std::string& who);

}  // namespace heed
