// The members of a zip archive in which nothing is compressed (APPNOTE 6.3, with its 64-bit fields). The
// directory at the end of the file is compared with the header before each member; members that
// overlap, that leave the folder, or that are compressed or encrypted are refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/model/file/file_bytes.h"

namespace heed {

struct ZipMember {
  std::string name;
  std::uint64_t begin = 0;  // of its bytes in the file
  std::uint64_t size = 0;
};

/// In the order of the directory. `who` names the file.
std::vector<ZipMember> members_of_stored_zip(const ByteSource& bytes, const std::string& who);

}  // namespace heed
