#include "fuzz/model_tensors.h"

#include "heed/base/json_reader.h"

namespace heed::fuzz {
namespace {

constexpr const char* metadata_name = "__metadata__";

TensorPart tensor_of(const std::string& name, const JsonReader& reader, const std::string& data) {
  TensorPart tensor{name, reader.at("dtype").text(), {}, {}};
  for (const JsonReader& axis : reader.at("shape").items()) {
    tensor.shape.push_back(axis.integer());
  }
  const JsonReader offsets = reader.at("data_offsets");
  const std::uint64_t begin = offsets.at(0).natural(data.size());
  tensor.data = data.substr(begin, offsets.at(1).natural(data.size()) - begin);
  return tensor;
}

}  // namespace

std::optional<ModelTensors> tensors_of(const ModelParts& parts) {
  ModelTensors model;
  try {
    const Json json = parse_json(parts.header, "header");
    for (const auto& [name, value] : JsonReader(json, "header").members()) {
      if (name != metadata_name) {
        model.tensors.push_back(tensor_of(name, value, parts.data));
        continue;
      }
      for (const auto& [key, word] : value.members()) {
        model.metadata.emplace_back(key, word.text());
      }
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return model;
}

ModelParts parts_of(const ModelTensors& model) {
  Json metadata = Json::object();
  for (const auto& [key, value] : model.metadata) {
    metadata.append(key, value);
  }
  Json header = Json::object();
  header.append(metadata_name, std::move(metadata));
  ModelParts parts;
  for (const TensorPart& tensor : model.tensors) {
    Json shape = Json::array();
    for (const std::int64_t length : tensor.shape) {
      shape.push(length);
    }
    Json offsets = Json::array();
    offsets.push(parts.data.size());
    parts.data += tensor.data;
    offsets.push(parts.data.size());
    Json entry = Json::object();
    entry.append("dtype", tensor.type);
    entry.append("shape", std::move(shape));
    entry.append("data_offsets", std::move(offsets));
    header.append(tensor.name, std::move(entry));
  }
  parts.header = header.write();
  return parts;
}

std::size_t element_bytes(const std::string& type) {
  return type == "F64"                     ? 8
         : type == "F32" || type == "I32"  ? 4
         : type == "BF16" || type == "F16" ? 2
         : type == "U8"                    ? 1
                                           : 0;
}

}  // namespace heed::fuzz
