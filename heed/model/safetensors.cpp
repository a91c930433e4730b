#include "heed/model/safetensors.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "heed/base/atomic_file.h"
#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/base/json_reader.h"
#include "heed/base/sha256.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr std::uint64_t most_header_bytes = 100'000'000;  // the specification's limit
constexpr std::int64_t most_elements = std::int64_t{1} << 48;
constexpr std::uint64_t most_data_bytes = std::uint64_t{most_elements} * 8;
constexpr int most_axes = 8;
constexpr std::size_t hash_digits = 64;
constexpr const char* metadata_name = "__metadata__";

struct TypeRow {
  DType type;
  const char* name;

  std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_of(type)); }
};
constexpr std::array<TypeRow, 6> types{{{DType::f32, "F32"},
                                        {DType::f64, "F64"},
                                        {DType::i32, "I32"},
                                        {DType::bf16, "BF16"},
                                        {DType::f16, "F16"},
                                        {DType::u8, "U8"}}};

const TypeRow& row_of(DType type) {
  return *std::find_if(types.begin(), types.end(),
                       [type](const TypeRow& row) { return row.type == type; });
}

const TypeRow& read_type(const JsonReader& reader) {
  const auto row = std::find_if(types.begin(), types.end(), [&](const TypeRow& candidate) {
    return candidate.name == reader.text();
  });
  if (row == types.end()) {
    reader.refuse("F32, F64, BF16, F16, I32 or U8");
  }
  return *row;
}

/// The length of the header, which the first eight bytes hold.
std::uint64_t header_length(std::string_view bytes, const std::string& who) {
  constexpr std::size_t little = 8;
  if (bytes.size() < little) {
    fail(Fault::file,
         "{}: saw {} bytes, needs at least 8; it was cut short or is not a safetensors file", who,
         bytes.size());
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < little; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return length;
}

/// The header's text, after its length is checked.
std::string_view header_of(std::string_view bytes, const std::string& who) {
  constexpr std::size_t little = 8;
  const std::uint64_t length = header_length(bytes, who);
  if (length > most_header_bytes || length > bytes.size() - little) {
    fail(Fault::file,
         "{}: saw a header of {} bytes in a file of {}, needs one that fits; it was cut short or "
         "is not a safetensors file",
         who, length, bytes.size());
  }
  const std::string_view header = bytes.substr(little, length);
  if (header.empty() || header.front() != '{') {
    fail(Fault::file, "{}: saw a header that does not begin with {{; it is not a safetensors file",
         who);
  }
  return header;
}

struct Entry {
  FileTensor tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Entry read_entry(const std::string& name, const JsonReader& reader) {
  reader.allow_only({"dtype", "shape", "data_offsets"});
  const TypeRow type = read_type(reader.at("dtype"));
  Entry entry{{name, type.type, {}, {}}, 0, 0};
  const JsonReader shape = reader.at("shape");
  if (shape.items().size() > most_axes) {
    shape.refuse("at most 8 axes");
  }
  std::int64_t elements = 1;
  for (const JsonReader& axis : shape.items()) {
    const std::int64_t length = axis.integer(0, most_elements);
    if (length > 0 && elements > most_elements / length) {
      shape.refuse("at most 2^48 elements");
    }
    elements *= length;
    entry.tensor.shape.push_back(length);
  }
  const JsonReader offsets = reader.at("data_offsets");
  if (offsets.items().size() != 2) {
    offsets.refuse("two offsets, begin and end");
  }
  entry.begin = offsets.at(0).natural(most_data_bytes);
  entry.end = offsets.at(1).natural(most_data_bytes);
  if (entry.end < entry.begin ||
      entry.end - entry.begin != static_cast<std::uint64_t>(elements * type.bytes())) {
    offsets.refuse(fmt::format("begin and end {} bytes apart, as shape and dtype say",
                               elements * type.bytes()));
  }
  return entry;
}

/// Fails unless tensors cover all bytes without holes or overlaps.
void check_contiguous(std::span<const Entry> entries, std::uint64_t data_bytes,
                      const std::string& who) {
  std::uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      fail(Fault::file,
           "{}: saw tensor {} begin at byte {}, needs {}: tensors lie one behind the "
           "other; the file is corrupt",
           who, entry.tensor.name, entry.begin, position);
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    fail(Fault::file,
         "{}: saw {} bytes of tensors, needs {} as the header says; the file was cut short or "
         "something was added",
         who, data_bytes, position);
  }
}

/// The position of the hash's digits in the file; `digits` are their value in the header.
std::size_t find_digits(std::string_view bytes, std::string_view header, const std::string& digits,
                        const std::string& who) {
  const std::string wanted = "\"sha256\":\"" + digits + "\"";
  const std::size_t found = header.find(wanted);
  if (found == std::string_view::npos || header.find(wanted, found + 1) != std::string_view::npos) {
    fail(Fault::file, "{}: saw no sha256 written as heed writes it; the file is corrupt", who);
  }
  return static_cast<std::size_t>(header.data() - bytes.data()) + found + wanted.size() - 1 -
         hash_digits;
}

/// The hash of the file with the digits at `at` replaced by zeros.
std::string hash_of(std::string_view bytes, std::size_t at) {
  return Sha256()
      .update(bytes.substr(0, at))
      .update(std::string(hash_digits, '0'))
      .update(bytes.substr(at + hash_digits))
      .finish_hex();
}

void check_hash(std::string_view bytes, std::string_view header, const std::string& digits,
                const std::string& who) {
  const bool is_hexadecimal = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digits.size() != hash_digits || !is_hexadecimal) {
    fail(Fault::file,
         "{}: saw a sha256 of {} letters, needs {} hexadecimal digits; the file is "
         "corrupt or another program wrote it",
         who, digits.size(), hash_digits);
  }
  if (hash_of(bytes, find_digits(bytes, header, digits, who)) != digits) {
    fail(Fault::file,
         "{}: saw contents that do not match their sha256; the file is corrupt, get it again", who);
  }
}

void check_to_write(const SafetensorsFile& file) {
  std::set<std::string_view> names;
  for (const FileTensor& tensor : file.tensors) {
    check_utf8("safetensors: a tensor's name", tensor.name);
    require(tensor.name != metadata_name && names.insert(tensor.name).second,
            "safetensors: saw tensor {} twice, or a reserved name; rename it", tensor.name);
    std::int64_t expected = row_of(tensor.type).bytes();
    for (const std::int64_t length : tensor.shape) {
      expected *= length;
    }
    require(static_cast<std::int64_t>(tensor.bytes.size()) == expected,
            "safetensors: saw {} bytes for tensor {}, needs {}; give it bytes that fit its shape",
            tensor.bytes.size(), tensor.name, expected);
  }
  for (const auto& [key, value] : file.metadata) {
    check_utf8("safetensors: metadata " + key, key);
    check_utf8("safetensors: metadata " + key, value);
    require(key != "sha256", "safetensors: saw metadata sha256, which the writer sets; leave it");
  }
}

std::string header_text(const SafetensorsFile& file) {
  Json metadata = Json::object();
  metadata.append("sha256", std::string(hash_digits, '0'));
  for (const auto& [key, value] : file.metadata) {
    metadata.append(key, value);
  }
  Json header = Json::object();
  header.append(metadata_name, std::move(metadata));
  std::uint64_t position = 0;
  for (const FileTensor& tensor : file.tensors) {
    Json shape = Json::array();
    for (const std::int64_t length : tensor.shape) {
      shape.push(length);
    }
    Json offsets = Json::array();
    offsets.push(position);
    position += tensor.bytes.size();
    offsets.push(position);
    Json entry = Json::object();
    entry.append("dtype", row_of(tensor.type).name);
    entry.append("shape", std::move(shape));
    entry.append("data_offsets", std::move(offsets));
    header.append(tensor.name, std::move(entry));
  }
  std::string text = header.write();
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the data is aligned to eight bytes
  return text;
}

}  // namespace

FileBytes::FileBytes(std::string own)
    : whole_(std::make_shared<const std::string>(std::move(own))), view_(*whole_) {}

FileBytes::FileBytes(std::shared_ptr<const std::string> whole, size_t begin, size_t size)
    : whole_(std::move(whole)), view_(std::string_view(*whole_).substr(begin, size)) {}

const FileTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&name](const FileTensor& t) { return t.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::string format_safetensors(const SafetensorsFile& file) {
  check_to_write(file);
  const std::string header = header_text(file);
  std::size_t data_bytes = 0;
  for (const FileTensor& tensor : file.tensors) {
    data_bytes += tensor.bytes.size();
  }
  std::string bytes;
  bytes.reserve(8 + header.size() + data_bytes);
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(std::uint64_t{header.size()} >> (8 * i) & 0xFF);
  }
  bytes += header;
  for (const FileTensor& tensor : file.tensors) {
    bytes += tensor.bytes.view();
  }
  const std::string zeros(hash_digits, '0');
  const std::size_t at =
      find_digits(bytes, std::string_view(bytes).substr(8, header.size()), zeros, "safetensors");
  bytes.replace(at, hash_digits, hash_of(bytes, at));
  return bytes;
}

SafetensorsFile parse_safetensors(std::string given, const std::string& who, FileHash hash) {
  const auto whole = std::make_shared<const std::string>(std::move(given));
  const std::string_view bytes = *whole;
  const std::string_view header = header_of(bytes, who);
  const std::size_t first = 8 + header.size();
  const std::string_view data = bytes.substr(first);
  const Json json = parse_json(header, who, {.most_bytes = most_header_bytes});
  SafetensorsFile file;
  std::string digits;
  std::vector<Entry> entries;
  for (const auto& [name, value] : JsonReader(json, who).members()) {
    if (name != metadata_name) {
      entries.push_back(read_entry(name, value));
      continue;
    }
    for (const auto& [key, word] : value.members()) {
      (key == "sha256" ? digits : file.metadata[key]) = word.text();
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_contiguous(entries, data.size(), who);
  if (hash == FileHash::needed || !digits.empty()) {
    check_hash(bytes, header, digits, who);
  }
  for (Entry& entry : entries) {
    entry.tensor.bytes = FileBytes(whole, first + entry.begin, entry.end - entry.begin);
    file.tensors.push_back(std::move(entry.tensor));
  }
  return file;
}

void write_safetensors(const std::string& path, const SafetensorsFile& file) {
  write_atomically(path, format_safetensors(file));
}

std::map<std::string, std::string> read_safetensors_metadata(const std::string& path) {
  const Descriptor file = open_to_read(path);
  std::string bytes(8, '\0');
  std::size_t filled = 0;
  const auto fill = [&] {
    for (std::size_t got = 1; got > 0 && filled < bytes.size(); filled += got) {
      got = read_some(file, path, bytes.data() + filled, bytes.size() - filled);
    }
    bytes.resize(filled);
  };
  fill();
  bytes.resize(8 + std::min(header_length(bytes, path), most_header_bytes));
  fill();
  const Json json = parse_json(header_of(bytes, path), path, {.most_bytes = most_header_bytes});
  std::map<std::string, std::string> metadata;
  if (const auto found = JsonReader(json, path).find(metadata_name)) {
    for (const auto& [key, word] : found->members()) {
      metadata[key] = word.text();
    }
  }
  metadata.erase("sha256");
  return metadata;
}

SafetensorsFile read_safetensors(const std::string& path, FileHash hash) {
  return parse_safetensors(read_file(path), path, hash);
}

}  // namespace heed
