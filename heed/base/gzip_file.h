// A file read whole, plain or gzip (told apart by its first bytes).
#pragma once

#include <cstdint>
#include <string>

namespace heed {

/// More than `most_bytes`, once decompressed, is an Error, as is damage: Fault::file.
std::string read_gzip_or_plain(const std::string& path,
                               std::uint64_t most_bytes = std::uint64_t{1} << 34);

}  // namespace heed
