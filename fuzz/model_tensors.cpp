// A header is read and written here by hand: heed's own JSON, with an allocation for each value, would
// take as long as what it is to test. Only the form that heed writes is understood.
#include "fuzz/model_tensors.h"

#include <charconv>
#include <string_view>

#include "heed/base/json.h"

namespace heed::fuzz {
namespace {

constexpr std::string_view metadata_begin = "{\"__metadata__\":{";

/// Takes one thing after the other from a text, and stops for good where it sees something else.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool is_well() const { return is_well_; }
  /// Whether this comes next; if so, it is taken.
  bool takes(std::string_view wanted) {
    const bool is_next = is_well_ && rest_.starts_with(wanted);
    rest_.remove_prefix(is_next ? wanted.size() : 0);
    return is_next;
  }
  void need(std::string_view wanted) { is_well_ = takes(wanted); }
  /// A text up to its quotation mark, with its escapes.
  std::string text() {
    need("\"");
    for (std::size_t i = 0; is_well_ && i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '"') {
        std::string taken(rest_.substr(0, i));
        rest_.remove_prefix(i + 1);
        return taken;
      }
    }
    is_well_ = false;
    return {};
  }
  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    is_well_ = is_well_ && fault == std::errc{};
    rest_.remove_prefix(is_well_ ? static_cast<std::size_t>(end - rest_.data()) : 0);
    return value;
  }

 private:
  std::string_view rest_;
  bool is_well_ = true;
};

TensorPart tensor_of(Scanner& scanner, const std::string& data) {
  TensorPart tensor;
  tensor.name = scanner.text();
  scanner.need(":{\"dtype\":");
  tensor.type = scanner.text();
  scanner.need(",\"shape\":[");
  while (scanner.is_well() && !scanner.takes("]")) {
    tensor.shape.push_back(scanner.number());
    scanner.takes(",");
  }
  scanner.need(",\"data_offsets\":[");
  const auto begin = static_cast<std::uint64_t>(scanner.number());
  scanner.need(",");
  const auto end = static_cast<std::uint64_t>(scanner.number());
  scanner.need("]}");
  if (scanner.is_well() && begin <= end && end <= data.size()) {
    tensor.data = data.substr(begin, end - begin);
  }
  return tensor;
}

}  // namespace

std::optional<ModelTensors> tensors_of(const ModelParts& parts) {
  ModelTensors model;
  Scanner scanner(parts.header);
  scanner.need(metadata_begin);
  while (scanner.is_well() && !scanner.takes("}")) {
    std::string key = scanner.text();
    scanner.need(":");
    model.metadata.emplace_back(std::move(key), scanner.text());
    scanner.takes(",");
  }
  while (scanner.takes(",")) {
    model.tensors.push_back(tensor_of(scanner, parts.data));
  }
  scanner.need("}");
  return scanner.is_well() ? std::optional(std::move(model)) : std::nullopt;
}

ModelParts parts_of(const ModelTensors& model) {
  ModelParts parts;
  std::string& header = parts.header;
  header = metadata_begin;
  for (const auto& [key, value] : model.metadata) {
    header.append(header.back() == '{' ? "\"" : ",\"").append(key).append("\":\"");
    header.append(value).append("\"");
  }
  header += '}';
  for (const TensorPart& tensor : model.tensors) {
    header.append(",\"").append(tensor.name).append("\":{\"dtype\":\"").append(tensor.type);
    header.append("\",\"shape\":[");
    for (const std::int64_t length : tensor.shape) {
      header.append(header.back() == '[' ? "" : ",").append(std::to_string(length));
    }
    header.append("],\"data_offsets\":[").append(std::to_string(parts.data.size())).append(",");
    parts.data += tensor.data;
    header.append(std::to_string(parts.data.size())).append("]}");
  }
  header += '}';
  return parts;
}

std::string quoted(const std::string& plain) {
  const std::string text = Json(plain).write();
  return text.substr(1, text.size() - 2);
}

std::string unquoted(const std::string& text) {
  try {
    return *parse_json('"' + text + '"', "text").get<std::string>();
  } catch (const Error&) {
    return text;
  }
}

std::size_t element_bytes(const std::string& type) {
  return type == "F64"                     ? 8
         : type == "F32" || type == "I32"  ? 4
         : type == "BF16" || type == "F16" ? 2
         : type == "U8"                    ? 1
                                           : 0;
}

}  // namespace heed::fuzz
