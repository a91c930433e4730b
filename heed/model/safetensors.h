// A safetensors file: 8 bytes of header length, a JSON header, the tensors' bytes. It is read as
// strictly as the specification allows: offsets start at 0, are contiguous and end at the end of
// the file, sizes match shapes, names are unique.
//
// heed adds "sha256" to __metadata__: the hash of the whole file in which those 64 digits are
// zeros.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/device/dtype.h"

namespace heed {

/// The bytes of a tensor: its own, or a part of the file's, which all its tensors share.
class FileBytes {
 public:
  FileBytes() = default;
  FileBytes(std::string own);
  FileBytes(const char* text) : FileBytes(std::string(text)) {}
  FileBytes(std::shared_ptr<const std::string> whole, size_t begin, size_t size);

  const char* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  std::string_view view() const { return view_; }
  bool operator==(const FileBytes& other) const { return view_ == other.view_; }

 private:
  std::shared_ptr<const std::string> whole_;
  std::string_view view_;
};

struct FileTensor {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;
  FileBytes bytes;
};

struct SafetensorsFile {
  std::map<std::string, std::string> metadata;  // without "sha256"
  std::vector<FileTensor> tensors;              // in the file's order

  const FileTensor* find(const std::string& name) const;
};

/// Whether a file must have heed's hash; one of another program has none.
enum class FileHash : uint8_t { needed, if_there };

/// Writes atomically, with the hash.
void write_safetensors(const std::string& path, const SafetensorsFile& file);
/// Reads and checks everything, including the hash; a Fault::file says what is wrong and where.
SafetensorsFile read_safetensors(const std::string& path, FileHash hash = FileHash::needed);
/// Reads the metadata only, without the tensors and so without checking the hash.
std::map<std::string, std::string> read_safetensors_metadata(const std::string& path);
/// Like read_safetensors, for bytes in memory; `who` names them in errors.
SafetensorsFile parse_safetensors(std::string bytes, const std::string& who,
                                  FileHash hash = FileHash::needed);
std::string format_safetensors(const SafetensorsFile& file);

}  // namespace heed
