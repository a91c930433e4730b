// A safetensors file: 8 bytes of header length, a JSON header, the tensors' bytes. It is read as
// strictly as the specification allows: offsets start at 0, are contiguous and end at the end of
// the file, sizes match shapes, names are unique.
//
// heed adds "sha256" to __metadata__: the hash of the whole file in which those 64 digits are
// zeros.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/device/dtype.h"
#include "heed/model/file_bytes.h"

namespace heed {

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
/// Checks everything, including the hash; a Fault::file says what is wrong and where. The first bytes
/// are judged before the rest is read. The bytes of the tensors stay in the file, which stays open,
/// unless it is a pipe.
SafetensorsFile read_safetensors(const std::string& path, FileHash hash = FileHash::needed);
/// Reads the metadata only, without the tensors and so without checking the hash.
std::map<std::string, std::string> read_safetensors_metadata(const std::string& path);
/// Like read_safetensors, for bytes in memory; `who` names them in errors.
SafetensorsFile parse_safetensors(std::string bytes, const std::string& who,
                                  FileHash hash = FileHash::needed);
std::string format_safetensors(const SafetensorsFile& file);

}  // namespace heed
