// The pointing game over a corpus of captions (pointing.h has the formulas for one word).
//
//     hits = 100 · #{named places that the caption's word points into} / #{named places that are said}
//     mass = 100 · mean of the mass inside, over the named places that are said
//
// A gold line has a caption and, behind |||, the words that name a place (first-last, counted from 0)
// with the box of that place (left, top, right, bottom, in fractions of the picture):
//
//     a red circle above a star ||| 1-2 0.1,0.2,0.35,0.4 5-5 0.5,0.6,0.8,0.9
//
// The last word of each is the one that is judged. A place is said if the caption has the same words
// there; a caption that says something else cannot be asked where it looked for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/metric/pointing.h"

namespace heed {

/// Words `first` to `last` of a caption name what is in the box.
struct NamedBox {
  std::size_t first = 0;
  std::size_t last = 0;
  PictureBox box;
};

struct GoldCaption {
  std::vector<std::string> words;
  std::vector<NamedBox> boxes;
};

/// Throws an Error of kind `file` that begins with `who` where the line is no gold line.
GoldCaption read_gold_caption(std::string_view line, std::string_view who);

class PointingGame {
 public:
  /// The words of a caption with the weights of each; every word has a grid.
  void add(const std::vector<std::string>& words, const std::vector<WeightGrid>& grids,
           const GoldCaption& gold);

  std::int64_t places() const { return places_; }
  std::int64_t said() const { return said_; }
  /// Per cent; 0 if nothing was said.
  double hits() const { return share(static_cast<double>(hits_)); }
  double mass() const { return share(mass_); }

 private:
  double share(double sum) const { return said_ == 0 ? 0 : 100 * sum / static_cast<double>(said_); }

  std::int64_t places_ = 0;
  std::int64_t said_ = 0;
  std::int64_t hits_ = 0;
  double mass_ = 0;
};

}  // namespace heed
