// A sheet of pixels: rectangles, text in smooth letters (font.h), and the sheet as a PNG file (8 bits
// a channel).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/see/font.h"
#include "heed/see/ramp.h"

namespace heed {

enum class Anchor { start, middle, end };

struct Lettering {
  Rgb ink;
  double px = 14;
  Anchor anchor = Anchor::start;  // which point of the text is given
  bool is_bold = false;
  bool rises = false;  // at 45°
};

class Canvas {
 public:
  /// A white sheet.
  Canvas(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  Rgb at(int x, int y) const;

  /// Mixes `ink` over the pixel; `cover` 1 replaces it. Does nothing outside the sheet.
  void blend(int x, int y, Rgb ink, double cover = 1);
  void fill(double x, double y, double width, double height, Rgb ink);
  /// Puts another sheet over this one, with its corner at (left, top).
  void paste(const Canvas& other, int left, int top);

  /// Writes a line of text at `x`, centred vertically at `y` as an SVG's `dy=".35em"` does it.
  void write(double x, double y, std::string_view text, const Lettering& how);

  std::string png() const;

 private:
  int width_;
  int height_;
  std::vector<Rgb> pixels_;
  std::optional<Font> font_;  // made for the first text
};

}  // namespace heed
