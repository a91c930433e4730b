#include "heed/see/canvas.h"

#include <zlib.h>

#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

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

void Canvas::paste(const Canvas& other, int left, int top) {
  for (int y = 0; y < other.height_; ++y) {
    for (int x = 0; x < other.width_; ++x) {
      blend(left + x, top + y, other.at(x, y));
    }
  }
}

void Canvas::write(double x, double y, std::string_view text, const Lettering& how) {
  if (!font_) {
    font_.emplace();
  }
  const double down = 0.35 * how.px;  // from the middle of small letters to their baseline
  double back = 0;                    // from the given point to where the text begins
  if (how.anchor != Anchor::start) {
    back = font_->width(text, how.px) * (how.anchor == Anchor::end ? 1 : 0.5);
  }
  Pen pen{x - back, y + down, how.px, how.is_bold, how.rises};
  if (how.rises) {
    pen.x = x + rising_slope * (down - back);
    pen.y = y + rising_slope * (down + back);
  }
  font_->write(text, pen, [&](int i, int j, double cover) { blend(i, j, how.ink, cover); });
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

}  // namespace heed
