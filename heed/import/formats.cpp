#include "heed/import/formats.h"

#include <algorithm>

#include "heed/base/descriptor.h"

namespace heed {

const Catalogue<Format>& formats() {
  static const Catalogue<Format> all{
      "format",
      {
          {"safetensors",
           {},
           "a JSON header, and the bytes of the tensors",
           HEED_MADE_BY(Format, safetensors_format)},
          {"torch_zip",
           {},
           "a zip archive with a pickle, as torch.save writes since 1.6",
           HEED_MADE_BY(Format, torch_zip_format)},
          {"torch_before_zip",
           {},
           "pickles one behind the other, as torch.save wrote before 1.6",
           HEED_MADE_BY(Format, torch_before_zip_format)},
      }};
  return all;
}

WeightTable read_weights(const std::string& path) {
  Descriptor file = open_to_read(path);
  if (!is_regular_file(file)) {
    fail(Fault::file, "{}: this is no regular file; give one", path);
  }
  const std::shared_ptr<const ByteSource> bytes = bytes_of_file(std::move(file), path);
  const std::string first = bytes->text(0, std::min<std::uint64_t>(bytes->size(), 16));
  std::string names;
  for (const auto& entry : formats()) {
    const auto format = entry.make();
    if (format->begins(first)) {
      return format->read(bytes, path);
    }
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  fail(Fault::file, "{}: its first bytes are those of none of the formats {}", path, names);
}

}  // namespace heed
