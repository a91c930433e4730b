// The parts of a model file: eight bytes of length, header, data.
#pragma once

#include <cstddef>
#include <string>

namespace heed::fuzz {

struct ModelParts {
  std::string header;
  std::string data;
};

/// A length that does not fit counts as that of all the bytes after it.
ModelParts parts_of(const std::string& file);
std::string file_of(const ModelParts& parts);

/// Writes the right SHA-256 where the header has one; otherwise the file stays as it is.
void repair_digest(std::string& file);

}  // namespace heed::fuzz
