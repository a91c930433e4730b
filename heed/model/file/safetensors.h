// A safetensors file: 8 bytes of header length, a JSON header, the tensors' bytes. It is read as
// strictly as the specification allows: offsets start at 0, are contiguous and end at the end of
// the file, sizes match shapes, names are unique.
//
// heed adds "sha256" to __metadata__: the hash of the whole file in which those 64 digits are
// zeros.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/device/dtype.h"
#include "heed/model/file/file_bytes.h"

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

/// Writes atomically, with the hash, piece by piece.
void write_safetensors(const std::string& path, const SafetensorsFile& file);
/// Checks everything, including the hash; a Fault::file says what is wrong and where. The first bytes
/// are judged before the rest is read. The bytes of the tensors stay in the file, which stays open,
/// unless it is a pipe.
SafetensorsFile read_safetensors(const std::string& path, FileHash hash = FileHash::needed);
/// The contents of a file whose hash another thread still computes. `hash.get()` waits for it and
/// fails like read_safetensors; whatever was made of the contents may be used only after that.
struct UncheckedFile {
  SafetensorsFile contents;
  std::future<void> hash;
};
UncheckedFile open_safetensors(const std::string& path, FileHash hash = FileHash::needed);
/// Reads the metadata only, without the tensors and so without checking the hash.
std::map<std::string, std::string> read_safetensors_metadata(const std::string& path);
/// Like read_safetensors, for bytes in memory; `who` names them in errors.
SafetensorsFile parse_safetensors(std::string bytes, const std::string& who,
                                  FileHash hash = FileHash::needed);

/// The tensors of another program's file; no hash is checked. Those of types that heed has
/// not are in `others`, with the type's name.
struct ForeignSafetensors {
  std::vector<FileTensor> tensors;
  std::map<std::string, std::string> others;
};
ForeignSafetensors read_foreign_safetensors(const std::shared_ptr<const ByteSource>& bytes,
                                            const std::string& who);

/// A file as it is written: its bytes one after another, in pieces, so that a large one is never in
/// memory as a whole. The tensors are read twice, for the hash and by each(), and must stay as they
/// are in between.
class FormattedFile {
 public:
  /// An Error where the file could not be read again; `file` must live as long as this.
  explicit FormattedFile(const SafetensorsFile& file);

  std::uint64_t size() const;
  void each(const std::function<void(std::string_view)>& take) const;

 private:
  void each_of_tensors(const std::function<void(std::string_view)>& take) const;

  const SafetensorsFile& file_;
  std::string opening_;  // the header with its length and the hash
};
void write_safetensors(const std::string& path, const FormattedFile& file);
/// The same as one text.
std::string format_safetensors(const SafetensorsFile& file);
/// The bytes that it would take on a disk. The tensors are not read.
std::uint64_t size_of_safetensors(const SafetensorsFile& file);

}  // namespace heed
