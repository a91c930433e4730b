#include "heed/see/glyphs.h"

#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::size_t glyph_rows = 16;

std::uint32_t digit_of(char letter) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return static_cast<std::uint32_t>(digits.find(letter));
}

std::string from_base64(std::string_view text) {
  std::array<std::uint32_t, 256> value{};
  for (int letter = 0; letter < 128; ++letter) {
    value[static_cast<std::size_t>(letter)] = digit_of(static_cast<char>(letter));
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char letter = text[at + i];
      word = word << 6U | (letter == '=' ? 0 : value[static_cast<unsigned char>(letter)]);
    }
    const std::size_t kept = text[at + 2] == '=' ? 1 : text[at + 3] == '=' ? 2 : 3;
    for (std::size_t i = 0; i < kept; ++i) {
      bytes += static_cast<char>(word >> (16U - 8U * i));
    }
  }
  return bytes;
}

std::string whole_table() {
  std::string text;
  for (const std::string_view part : glyph_table()) {
    text += part;
  }
  return text;
}

std::string inflated(const std::string& packed) {
  std::string bytes(std::size_t{1} << 21, '\0');
  auto size = static_cast<uLongf>(bytes.size());
  const int outcome =
      uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  require(outcome == Z_OK,
          "glyphs: the table does not unpack ({}); write it anew with tools/glyphs.py", outcome);
  bytes.resize(size);
  return bytes;
}

struct Run {
  std::uint32_t first;
  std::uint32_t count;
  std::size_t bytes_a_row;
  std::size_t start;  // of its first bitmap
};

class Table {
 public:
  Table() : bytes_(inflated(from_base64(whole_table()))) {
    const std::uint32_t count = number(0, 4);
    std::size_t start = 4 + std::size_t{8} * count;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t at = 4 + std::size_t{8} * i;
      runs_.push_back({number(at, 4), number(at + 4, 2), number(at + 6, 2), start});
      start += glyph_rows * runs_.back().bytes_a_row * runs_.back().count;
    }
  }

  std::optional<Glyph> find(char32_t code) const {
    const auto next = std::upper_bound(runs_.begin(), runs_.end(), code,
                                       [](char32_t c, const Run& run) { return c < run.first; });
    if (next == runs_.begin() || code - std::prev(next)->first >= std::prev(next)->count) {
      return std::nullopt;
    }
    const Run& run = *std::prev(next);
    const std::size_t size = glyph_rows * run.bytes_a_row;
    const std::size_t at = run.start + size * (code - run.first);
    Glyph out;
    out.width = static_cast<int>(8 * run.bytes_a_row);
    for (std::size_t y = 0; y < glyph_rows; ++y) {
      const std::uint32_t left = number(at + y, 1);
      out.rows[y] = static_cast<std::uint16_t>(
          run.bytes_a_row == 1 ? left : left << 8U | number(at + glyph_rows + y, 1));
    }
    return out;
  }

 private:
  std::uint32_t number(std::size_t at, std::size_t size) const {
    std::uint32_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8U | static_cast<unsigned char>(bytes_.at(at + i));
    }
    return value;
  }

  std::string bytes_;
  std::vector<Run> runs_;
};

}  // namespace

std::optional<Glyph> glyph(char32_t code) {
  static const Table table;
  return table.find(code);
}

}  // namespace heed
