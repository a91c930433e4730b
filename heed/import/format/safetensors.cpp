// safetensors: 8 bytes of header length, a JSON header, the tensors' bytes (model/file/safetensors.h).
#include "heed/import/formats.h"

namespace heed {
namespace {

class SafetensorsFormat : public Format {
 public:
  bool begins(std::string_view first) const override { return first.size() > 8 && first[8] == '{'; }
  WeightTable read(const std::shared_ptr<const ByteSource>& bytes,
                   const std::string& who) const override {
    ForeignSafetensors file = read_foreign_safetensors(bytes, who);
    WeightTable table{std::move(file.tensors)};
    for (const auto& [name, type] : file.others) {
      table.others[name] = "a tensor of " + type;
    }
    return table;
  }
};

}  // namespace

std::unique_ptr<Format> safetensors_format() { return std::make_unique<SafetensorsFormat>(); }

}  // namespace heed
