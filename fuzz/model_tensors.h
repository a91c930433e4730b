// A model file taken apart down to its tensors, for changes that leave the rest of it in order: when
// it is put together again, lengths and offsets fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/model_parts.h"

namespace heed::fuzz {

// Names and metadata are texts as they stand in the header, with their escapes.

struct TensorPart {
  std::string name;
  std::string type;  // as in the file, such as F32
  std::vector<std::int64_t> shape;
  std::string data;
};

struct ModelTensors {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<TensorPart> tensors;
};

/// Nothing where the header does not say what a model's header says.
std::optional<ModelTensors> tensors_of(const ModelParts& parts);
ModelParts parts_of(const ModelTensors& model);

/// A text as it stands between quotation marks, and back.
std::string quoted(const std::string& plain);
std::string unquoted(const std::string& text);

/// The bytes of one element; 0 for a type that no file has.
std::size_t element_bytes(const std::string& type);

}  // namespace heed::fuzz
