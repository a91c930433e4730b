// A sheet of pixels: rectangles, text in bitmap letters, and the sheet as a PNG file (8 bits a
// channel).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/see/ramp.h"

namespace heed {

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

  /// Writes text from `x` on, centred vertically at `y`; letters are 16 · `scale` pixels high.
  void write(double x, double y, std::string_view text, Rgb ink, double scale);
  /// The same, rising at 45° from (x, y).
  void write_rising(double x, double y, std::string_view text, Rgb ink, double scale);

  std::string png() const;

 private:
  int width_;
  int height_;
  std::vector<Rgb> pixels_;
};

/// The width of written text at scale 1: a terminal column is 8 pixels.
double text_width(std::string_view text);

}  // namespace heed
