// torch_before_zip: what torch.save wrote before 1.6, and later with _use_new_zipfile_serialization =
// False. Five pickles lie one behind the other: a number that marks the format, the protocol, what the
// machine was, the table of tensors, and the keys of the storages. Then each storage follows in that
// order: its number of elements (8 bytes), and their bytes.
#include <map>

#include "heed/import/formats.h"
#include "heed/import/torch_tensors.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

constexpr std::string_view mark = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t known_protocol = 1001;

class TorchBeforeZip : public Format {
 public:
  bool begins(std::string_view first) const override { return first.starts_with(mark); }

  WeightTable read(const std::shared_ptr<const ByteSource>& bytes,
                   const std::string& who) const override {
    const std::string opening =
        bytes->text(0, std::min<std::uint64_t>(bytes->size(), Pickle::most_bytes));
    std::string_view rest = opening;
    const auto next = [&] {
      Pickle pickle(rest, who);
      rest.remove_prefix(pickle.size());
      return pickle;
    };
    next();
    const Pickle protocol = next();
    if (protocol.at(protocol.root()).whole != known_protocol) {
      fail(Fault::file, "{}: its protocol is {}, not {}; save it again", who,
           protocol.at(protocol.root()).whole, known_protocol);
    }
    check_machine(next(), who);
    const Pickle table = next();
    const Pickle keys = next();
    const std::map<std::string, FileBytes> storages =
        find_storages(bytes, opening.size() - rest.size(), storages_in(table, who), keys, who);
    return torch_tensors(table, who, [&](const TorchStorage& storage) {
      const auto found = storages.find(storage.key);
      if (found == storages.end() || found->second.size() != storage.elements * storage.width) {
        refuse(who, storage.key);
      }
      return found->second;
    });
  }

 private:
  [[noreturn]] static void refuse(const std::string& who, std::string_view key) {
    fail(Fault::file, "{}: the bytes of its storage {} are not there as it says; it is corrupt",
         who, make_visible(key.substr(0, 60)));
  }

  static void check_machine(const Pickle& pickle, const std::string& who) {
    const std::vector<Pickle::Node>& said = pickle.at(pickle.root()).items;
    for (std::size_t i = 0; i + 1 < said.size(); i += 2) {
      if (pickle.is_text(said[i], "little_endian") && pickle.at(said[i + 1]).whole != 1) {
        fail(Fault::file, "{}: its numbers begin with their highest byte; save it elsewhere", who);
      }
    }
  }

  static std::map<std::string, TorchStorage> storages_in(const Pickle& table,
                                                         const std::string& who) {
    std::map<std::string, TorchStorage> all;
    for (Pickle::Node node = 0; node < table.count(); ++node) {
      if (table.at(node).kind != Pickle::Kind::outside) {
        continue;
      }
      const TorchStorage storage = storage_of(table, node, who);
      const std::vector<Pickle::Node>& said = table.at(table.at(node).items[0]).items;
      if (said.size() > 5 && table.at(said[5]).kind != Pickle::Kind::none) {
        fail(Fault::file, "{}: its storage {} is a view of another; save it again", who,
             make_visible(storage.key));
      }
      const TorchStorage& known = all.emplace(storage.key, storage).first->second;
      if (known.type != storage.type || known.elements != storage.elements) {
        refuse(who, storage.key);
      }
    }
    return all;
  }

  static std::map<std::string, FileBytes> find_storages(
      const std::shared_ptr<const ByteSource>& bytes, std::uint64_t at,
      const std::map<std::string, TorchStorage>& storages, const Pickle& keys,
      const std::string& who) {
    std::map<std::string, FileBytes> all;
    constexpr std::uint64_t count_bytes = 8;
    for (const Pickle::Node node : keys.at(keys.root()).items) {
      const std::string key(keys.at(node).text);
      const auto storage = storages.find(key);
      if (storage == storages.end() || bytes->size() - at < count_bytes) {
        refuse(who, key);
      }
      std::uint64_t elements = 0;
      const std::string count = bytes->text(at, count_bytes);
      for (std::size_t i = 0; i < count_bytes; ++i) {
        elements |= std::uint64_t{static_cast<unsigned char>(count[i])} << (8 * i);
      }
      at += count_bytes;
      const std::uint64_t size = storage->second.elements * storage->second.width;
      if (elements != storage->second.elements || size > bytes->size() - at ||
          !all.emplace(key, FileBytes(bytes, at, size)).second) {
        refuse(who, key);
      }
      at += size;
    }
    return all;
  }
};

}  // namespace

std::unique_ptr<Format> torch_before_zip_format() { return std::make_unique<TorchBeforeZip>(); }

}  // namespace heed
