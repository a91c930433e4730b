#include "heed/see/canvas.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"
#include "heed/see/glyphs.h"
#include "heed/text/display_width.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr int letter_height = 16;
constexpr int letter_column = 8;

/// A line of text as dots, `letter_height` high.
class Strip {
 public:
  explicit Strip(std::string_view text) {
    for (const std::string_view cluster : graphemes(text)) {
      add(cluster);
    }
  }
  int width() const { return static_cast<int>(dots_.size()) / letter_height; }
  double at(int x, int y) const {
    const bool is_inside = x >= 0 && x < width() && y >= 0 && y < letter_height;
    return is_inside && dots_[index(x, y)] ? 1 : 0;
  }
  /// The value between dots, interpolated from the four around it.
  double mixed(double x, double y) const {
    const double left = std::floor(x);
    const double top = std::floor(y);
    const auto i = static_cast<int>(left);
    const auto j = static_cast<int>(top);
    const double across = x - left;
    const double down = y - top;
    return (1 - down) * ((1 - across) * at(i, j) + across * at(i + 1, j)) +
           down * ((1 - across) * at(i, j + 1) + across * at(i + 1, j + 1));
  }

 private:
  static std::size_t index(int x, int y) {
    return static_cast<std::size_t>(x) * letter_height + static_cast<std::size_t>(y);
  }

  /// Adds a grapheme cluster: a letter and its marks, or a box where there is no glyph.
  void add(std::string_view cluster) {
    const int start = width();
    const int wide = letter_column * static_cast<int>(display_width(cluster));
    dots_.resize(index(start + wide, 0));
    bool is_drawn = false;
    for (std::size_t at = 0; at < cluster.size();) {
      const CodePoint one = decode_utf8(cluster, at);
      const auto letter = glyph(one.code);
      for (int x = 0; letter && x < std::min(letter->width, wide); ++x) {
        for (int y = 0; y < letter_height; ++y) {
          dots_[index(start + x, y)] = dots_[index(start + x, y)] || letter->at(x, y);
        }
      }
      is_drawn = is_drawn || letter;
      at += one.length;
    }
    for (int x = 1; !is_drawn && x < wide - 1; ++x) {
      for (int y = 2; y < letter_height - 2; ++y) {
        const bool is_edge = x == 1 || x == wide - 2 || y == 2 || y == letter_height - 3;
        dots_[index(start + x, y)] = is_edge;
      }
    }
  }

  std::vector<bool> dots_;  // column by column
};

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U),
          static_cast<char>(value >> 8U), static_cast<char>(value)};
}

const Bytef* bytes_of(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const uLong check = crc32(0, bytes_of(body), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(check));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int outcome = compress2(reinterpret_cast<Bytef*>(out.data()), &size, bytes_of(bytes),
                                static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  require(outcome == Z_OK, "png: cannot compress {} bytes; free some memory", bytes.size());
  out.resize(size);
  return out;
}

}  // namespace

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  constexpr int most = 30000;
  require(width > 0 && height > 0 && width <= most && height <= most,
          "png: saw a sheet of {} × {} pixels, needs 1 to {} each way; draw fewer words, or as SVG",
          width, height, most);
  pixels_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                 Rgb{255, 255, 255});
}

Rgb Canvas::at(int x, int y) const {
  return pixels_.at(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                    static_cast<std::size_t>(x));
}

void Canvas::blend(int x, int y, Rgb ink, double cover) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_ || cover <= 0) {
    return;
  }
  Rgb& pixel = pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                       static_cast<std::size_t>(x)];
  const auto mix = [&](std::uint8_t below, std::uint8_t above) {
    return static_cast<std::uint8_t>(std::lround(below + cover * (above - below)));
  };
  pixel = {mix(pixel.red, ink.red), mix(pixel.green, ink.green), mix(pixel.blue, ink.blue)};
}

void Canvas::fill(double x, double y, double width, double height, Rgb ink) {
  const auto right = static_cast<int>(std::lround(x + width));
  const auto bottom = static_cast<int>(std::lround(y + height));
  for (auto j = static_cast<int>(std::lround(y)); j < bottom; ++j) {
    for (auto i = static_cast<int>(std::lround(x)); i < right; ++i) {
      blend(i, j, ink);
    }
  }
}

void Canvas::write(double x, double y, std::string_view text, Rgb ink, double scale) {
  const Strip strip(text);
  const auto left = static_cast<int>(std::lround(x));
  const auto top = static_cast<int>(std::lround(y - scale * letter_height / 2));
  const auto wide = static_cast<int>(std::ceil(scale * strip.width()));
  const auto high = static_cast<int>(std::ceil(scale * letter_height));
  for (int j = 0; j < high; ++j) {
    for (int i = 0; i < wide; ++i) {
      blend(left + i, top + j, ink,
            strip.at(static_cast<int>(i / scale), static_cast<int>(j / scale)));
    }
  }
}

void Canvas::write_rising(double x, double y, std::string_view text, Rgb ink, double scale) {
  constexpr double slant = std::numbers::sqrt2 / 2;
  const Strip strip(text);
  const double along = scale * strip.width();
  const double half = scale * letter_height / 2;
  const auto left = static_cast<int>(std::floor(x - half));
  const auto right = static_cast<int>(std::ceil(x + slant * along + half));
  const auto top = static_cast<int>(std::floor(y - slant * along - half));
  const auto bottom = static_cast<int>(std::ceil(y + half));
  for (int j = top; j < bottom; ++j) {
    for (int i = left; i < right; ++i) {
      const double dx = i + 0.5 - x;
      const double dy = j + 0.5 - y;
      const double u = slant * (dx - dy) / scale;                        // along the text
      const double v = slant * (dx + dy) / scale + letter_height / 2.0;  // down its letters
      blend(i, j, ink, strip.mixed(u - 0.5, v - 0.5));
    }
  }
}

std::string Canvas::png() const {
  std::string rows;
  rows.reserve(static_cast<std::size_t>(height_) * (static_cast<std::size_t>(width_) * 3 + 1));
  for (int y = 0; y < height_; ++y) {
    rows += '\0';  // no filter
    for (int x = 0; x < width_; ++x) {
      const Rgb pixel = at(x, y);
      rows += static_cast<char>(pixel.red);
      rows += static_cast<char>(pixel.green);
      rows += static_cast<char>(pixel.blue);
    }
  }
  const std::string header = big_endian(static_cast<std::uint32_t>(width_)) +
                             big_endian(static_cast<std::uint32_t>(height_)) +
                             std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(rows)) +
         chunk("IEND", "");
}

double text_width(std::string_view text) {
  return letter_column * static_cast<double>(display_width(text));
}

}  // namespace heed
