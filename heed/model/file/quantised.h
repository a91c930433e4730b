// Weights of a model file in fewer bits. A file says of each tensor how it is stored, and loading widens
// it again, so nothing else in heed sees the difference.
//
//   bf16   every tensor with two axes or more is rounded to bf16
//   int8   w[n, k] = s[n] (u[n, k] − 128),   s[n] = max_k |w[n, k]| / 127,   u in 1 … 255
//
// An int8 matrix NAME is a tensor of bytes with f32 scales for its rows, NAME.scale, beside it. The
// scales are those of int8 products (device/kernel/packed.h), so that such products lose nothing more.
// Vectors (biases, gains) are small and stay as they are; in int8 so do filters of convolutions.
#pragma once

#include <string>

#include "heed/model/file/safetensors.h"
#include "heed/nn/precision.h"
#include "heed/tensor/tensor.h"

namespace heed {

/// The same model with its matrices in this precision; f32 widens those of a smaller file. Tensors
/// whose names start with "vocabulary." are left alone. Fault::usage if it is a checkpoint, whose
/// optimiser needs all bits.
SafetensorsFile in_precision(const SafetensorsFile& file, Precision precision,
                             const std::string& who);

/// How the matrices of a file are stored: int8, bf16, f16 or f32; the smallest where they differ.
std::string stored_precision(const SafetensorsFile& file);

/// Whether `from` is a matrix of bytes that needs scales.
bool is_quantised(const FileTensor& from, const Tensor& to);
/// The name of its scales.
std::string scale_name(const std::string& tensor);
/// to ← the matrix with its scales; Fault::file where they do not fit it or are not finite. `who` names
/// the file.
void fill_from_quantised(const Tensor& to, const FileTensor& from, const FileTensor& scale,
                         const std::string& who);

}  // namespace heed
