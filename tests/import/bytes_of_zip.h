// Zip archives as torch.save writes them, and pickles, by hand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::test {

/// A number in `count` bytes, the lowest first.
inline std::string number_of(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}

/// What may be wrong with a member.
struct MadeMember {
  std::string name;
  std::string bytes;
  std::uint16_t method = 0;
  std::uint64_t claimed = 0;  // its size; 0: the true one
  std::int64_t moved = 0;     // the directory says that it begins so much later
  std::string header_name = {};
};

inline std::string made_zip(const std::vector<MadeMember>& members) {
  std::string file;
  std::string directory;
  for (const MadeMember& one : members) {
    const std::uint64_t size = one.claimed == 0 ? one.bytes.size() : one.claimed;
    const std::string& name = one.header_name.empty() ? one.name : one.header_name;
    const std::string sizes = number_of(size, 4) + number_of(size, 4);
    const std::uint64_t at = file.size() + static_cast<std::uint64_t>(one.moved);
    directory += "PK\1\2" + number_of(20, 2) + number_of(20, 2) + number_of(0, 2) +
                 number_of(one.method, 2) + number_of(0, 4) + number_of(0, 4) + sizes +
                 number_of(one.name.size(), 2) + number_of(0, 2) + number_of(0, 2) +
                 number_of(0, 2) + number_of(0, 2) + number_of(0, 4) + number_of(at, 4) + one.name;
    file += "PK\3\4" + number_of(20, 2) + number_of(0, 2) + number_of(one.method, 2) +
            number_of(0, 4) + number_of(0, 4) + sizes + number_of(name.size(), 2) +
            number_of(0, 2) + name + one.bytes;
  }
  const std::string count = number_of(members.size(), 2);
  return file + directory + "PK\5\6" + number_of(0, 4) + count + count +
         number_of(directory.size(), 4) + number_of(file.size(), 4) + number_of(0, 2);
}

/// A text of a pickle.
inline std::string pickled(std::string_view text) {
  return "X" + number_of(text.size(), 4) + std::string(text);
}

/// A tensor of f32 in the storage "0": what torch._utils._rebuild_tensor_v2 is called with.
inline std::string pickled_tensor(int elements, const std::string& offset, const std::string& sizes,
                                  const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled("storage") + "ctorch\nFloatStorage\n" +
         pickled("0") + pickled("cpu") + "K" + number_of(static_cast<std::uint64_t>(elements), 1) +
         "tQ" + offset + "(" + sizes + "t(" + strides + "t\x89" + "ccollections\nOrderedDict\n)RtR";
}

}  // namespace heed::test
