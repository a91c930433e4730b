#include <algorithm>
#include <set>
#include <string_view>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/sha256.h"
#include "heed/device/shape.h"
#include "heed/model/file/safetensors.h"
#include "heed/model/file/safetensors_format.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

void check_to_write(const SafetensorsFile& file) {
  std::set<std::string_view> names;
  std::size_t values = 3 + file.metadata.size();
  for (const FileTensor& tensor : file.tensors) {
    check_utf8("safetensors: a tensor's name", tensor.name);
    require(tensor.name != metadata_name && names.insert(tensor.name).second,
            "safetensors: saw tensor {} twice, or a reserved name; rename it", tensor.name);
    Shape shape;
    for (const std::int64_t length : tensor.shape) {
      shape.push(length);
    }
    const std::int64_t expected = shape.numel() * row_of(tensor.type).bytes();
    values += 6 + tensor.shape.size();  // as the reader counts them
    require(static_cast<std::int64_t>(tensor.bytes.size()) == expected,
            "safetensors: saw {} bytes for tensor {}, needs {}; give it bytes that fit its shape",
            tensor.bytes.size(), tensor.name, expected);
  }
  require(values <= header_limits.most_values && file.metadata.size() < most_metadata,
          "safetensors: saw {} tensors and {} metadata, more than a header may name; use fewer",
          file.tensors.size(), file.metadata.size());
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

/// The length of the header and the header, whose hash is still zeros.
std::string opening_of(const SafetensorsFile& file) {
  check_to_write(file);
  const std::string header = header_text(file);
  require(header.size() <= header_limits.most_bytes,
          "safetensors: saw a header of {} bytes, needs at most {}; shorten the metadata",
          header.size(), std::size_t{header_limits.most_bytes});
  std::string bytes;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(std::uint64_t{header.size()} >> (8 * i) & 0xFF);
  }
  return bytes + header;
}

std::uint64_t data_bytes_of(const SafetensorsFile& file) {
  std::uint64_t bytes = 0;
  for (const FileTensor& tensor : file.tensors) {
    bytes += tensor.bytes.size();
  }
  return bytes;
}

}  // namespace

std::size_t find_digits(std::string_view header, const std::string& digits,
                        const std::string& who) {
  const std::string wanted = "\"sha256\":\"" + digits + "\"";
  const std::size_t found = header.find(wanted);
  if (found == std::string_view::npos || header.find(wanted, found + 1) != std::string_view::npos) {
    fail(Fault::file, "{}: its sha256 is not written as heed writes it; the file is corrupt", who);
  }
  return found + wanted.size() - 1 - hash_digits;
}

FormattedFile::FormattedFile(const SafetensorsFile& file)
    : file_(file), opening_(opening_of(file)) {
  Sha256 hash;
  hash.update(opening_);
  each_of_tensors([&hash](std::string_view piece) { hash.update(piece); });
  const std::string zeros(hash_digits, '0');
  const std::size_t at =
      find_digits(std::string_view(opening_).substr(length_bytes), zeros, "safetensors");
  opening_.replace(length_bytes + at, hash_digits, hash.finish_hex());
}

std::uint64_t FormattedFile::size() const { return opening_.size() + data_bytes_of(file_); }

void FormattedFile::each(const std::function<void(std::string_view)>& take) const {
  take(opening_);
  each_of_tensors(take);
}

void FormattedFile::each_of_tensors(const std::function<void(std::string_view)>& take) const {
  constexpr std::size_t at_once = std::size_t{1} << 18;
  std::string piece;  // small tensors share one
  for (const FileTensor& tensor : file_.tensors) {
    for (std::size_t first = 0; first < tensor.bytes.size();) {
      const std::size_t filled = piece.size();
      const std::size_t room = (at_once - filled) / 8 * 8;  // whole elements of every type
      const std::size_t part = std::min(room, tensor.bytes.size() - first);
      piece.resize(filled + part);
      tensor.bytes.read(first, piece.data() + filled, part);
      first += part;
      if (part == room) {
        take(piece);
        piece.clear();
      }
    }
  }
  if (!piece.empty()) {
    take(piece);
  }
}

std::string format_safetensors(const SafetensorsFile& file) {
  const FormattedFile formatted(file);
  std::string bytes;
  bytes.reserve(formatted.size());
  formatted.each([&bytes](std::string_view piece) { bytes += piece; });
  return bytes;
}

std::uint64_t size_of_safetensors(const SafetensorsFile& file) {
  return opening_of(file).size() + data_bytes_of(file);
}

void write_safetensors(const std::string& path, const FormattedFile& file) {
  AtomicFile out(path, file.size());
  file.each([&out](std::string_view piece) { out.write(piece); });
  out.commit();
}

void write_safetensors(const std::string& path, const SafetensorsFile& file) {
  write_safetensors(path, FormattedFile(file));
}

}  // namespace heed
