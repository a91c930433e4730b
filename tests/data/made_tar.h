// Tar archives for tests.
#pragma once

#include <cstddef>
#include <string>

namespace heed::test {

inline std::string octal(std::size_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value /= 8) {
    text[i] = static_cast<char>('0' + value % 8);
  }
  return text;
}

/// A header with its checksum, the file, and zeros up to a whole block.
inline std::string tar_entry(const std::string& name, const std::string& file, char kind = '0',
                             const std::string& prefix = "") {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, octal(0644, 7));
  header.replace(124, 11, octal(file.size(), 11));
  header.replace(148, 8, 8, ' ');
  header[156] = kind;
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(345, prefix.size(), prefix);
  std::size_t sum = 0;
  for (const char letter : header) {
    sum += static_cast<unsigned char>(letter);
  }
  header.replace(148, 7, octal(sum, 6) + '\0');
  return header + file + std::string((512 - file.size() % 512) % 512, '\0');
}

inline std::string tar_end() { return std::string(1024, '\0'); }

}  // namespace heed::test
