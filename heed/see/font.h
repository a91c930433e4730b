// Letters as smooth outlines, which FreeType renders from the fonts that are built in. Nothing is opened or parsed before the
// first Font is made.
#pragma once

#include <functional>
#include <memory>
#include <numbers>
#include <string_view>

namespace heed {

/// Of text that rises at 45°: its cosine and its sine.
inline constexpr double rising_slope = std::numbers::sqrt2 / 2;

/// Where and how a line of text is written.
struct Pen {
  double x = 0;  // where the line begins, and
  double y = 0;  // its baseline, in pixels
  double px = 14;
  bool is_bold = false;
  bool rises = false;  // at 45°
};

/// One object is for one thread.
class Font {
 public:
  Font();
  ~Font();
  Font(Font&& other) noexcept;
  Font& operator=(Font&& other) noexcept;

  /// Whether one of the fonts has the character. One that none has is drawn as a box with its number inside.
  bool has(char32_t code) const;
  /// Of a line of text in letters of `px` pixels.
  double width(std::string_view text, double px);

  /// How much of the pixel at (x, y) a letter covers, in (0, 1].
  using Dot = std::function<void(int x, int y, double cover)>;
  void write(std::string_view text, const Pen& pen, const Dot& dot);

 private:
  struct Faces;
  std::unique_ptr<Faces> faces_;
};

}  // namespace heed
