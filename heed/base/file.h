// Files read whole, with every fault named: `path: saw X, needs Y; do Z` as Fault::file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// The bytes of a regular file, a pipe without a name or, for "-", of standard input; more than `most_bytes` is an
/// Error.
std::string read_file(const std::string& path, std::uint64_t most_bytes = std::uint64_t{1} << 34);

bool file_exists(const std::string& path);
bool directory_exists(const std::string& path);
/// Neither a directory nor a pipe or device.
bool is_regular_file(const std::string& path);
/// Makes the directory and those above it where missing; Fault::disk when it cannot.
void make_directory(const std::string& path);
/// The names in a directory, sorted, without "." and "..".
std::vector<std::string> list_directory(const std::string& path);
/// Bytes free to this user on the file system that holds `path` (a file or directory, which need
/// not exist yet).
std::uint64_t free_bytes(const std::string& path);
/// The directory part of a path: "." for a bare name, "/" for "/name".
std::string directory_of(const std::string& path);

}  // namespace heed
