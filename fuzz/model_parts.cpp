#include "fuzz/model_parts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "heed/base/sha256.h"

namespace heed::fuzz {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::size_t digits = 64;

std::size_t header_bytes(const std::string& file) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(file[i])} << (8 * i);
  }
  return static_cast<std::size_t>(std::min<std::uint64_t>(length, file.size() - length_bytes));
}

}  // namespace

ModelParts parts_of(const std::string& file) {
  if (file.size() < length_bytes) {
    return {file, ""};
  }
  const std::size_t length = header_bytes(file);
  return {file.substr(length_bytes, length), file.substr(length_bytes + length)};
}

std::string file_of(const ModelParts& parts) {
  std::string file;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    file += static_cast<char>(std::uint64_t{parts.header.size()} >> (8 * i) & 0xFF);
  }
  return file + parts.header + parts.data;
}

void repair_digest(std::string& file) {
  constexpr std::string_view key = "\"sha256\":\"";
  if (file.size() < length_bytes) {
    return;
  }
  const std::size_t at = file.find(key, length_bytes);
  if (at == std::string::npos || at + key.size() + digits > length_bytes + header_bytes(file)) {
    return;
  }
  file.replace(at + key.size(), digits, digits, '0');
  file.replace(at + key.size(), digits, sha256_hex(file));
}

}  // namespace heed::fuzz
