// torch_zip: what torch.save writes since 1.6. In one folder of a zip archive there are data.pkl, a
// pickle with the names and shapes, and data/KEY, the bytes of each storage.
#include <map>

#include "heed/import/formats.h"
#include "heed/import/stored_zip.h"
#include "heed/import/torch_tensors.h"

namespace heed {
namespace {

constexpr std::string_view pickle_name = "/data.pkl";

class TorchZip : public Format {
 public:
  bool begins(std::string_view first) const override { return first.starts_with("PK\3\4"); }

  WeightTable read(const std::shared_ptr<const ByteSource>& bytes,
                   const std::string& who) const override {
    std::map<std::string, ZipMember> members;
    std::string folder;
    for (ZipMember& member : members_of_stored_zip(*bytes, who)) {
      if (folder.empty() && member.name.ends_with(pickle_name)) {
        folder = member.name.substr(0, member.name.size() - pickle_name.size());
      }
      members.emplace(member.name, member);
    }
    if (folder.empty()) {
      fail(Fault::file, "{}: it is an archive without a data.pkl, so not one of torch.save", who);
    }
    check_byte_order(*bytes, members, folder, who);
    const ZipMember& pickled = members.at(folder + std::string(pickle_name));
    const std::string program =
        bytes->text(pickled.begin, std::min<std::uint64_t>(pickled.size, Pickle::most_bytes));
    const Pickle pickle(program, who);
    return torch_tensors(pickle, who, [&](const TorchStorage& storage) {
      const auto found = members.find(folder + "/data/" + storage.key);
      if (found == members.end() || found->second.size != storage.elements * storage.width) {
        fail(Fault::file, "{}: there is no member {}/data/{} of {} bytes; the file is corrupt", who,
             folder, storage.key, storage.elements * storage.width);
      }
      return FileBytes(bytes, found->second.begin, found->second.size);
    });
  }

 private:
  static void check_byte_order(const ByteSource& bytes,
                               const std::map<std::string, ZipMember>& members,
                               const std::string& folder, const std::string& who) {
    const auto found = members.find(folder + "/byteorder");
    if (found != members.end() &&
        bytes.text(found->second.begin, std::min<std::uint64_t>(found->second.size, 16)) !=
            "little") {
      fail(Fault::file, "{}: its numbers begin with their highest byte; save it elsewhere", who);
    }
  }
};

}  // namespace

std::unique_ptr<Format> torch_zip_format() { return std::make_unique<TorchZip>(); }

}  // namespace heed
