// How attention is drawn: every setting with its name, range, default and help.
#pragma once

#include "heed/config/described.h"
#include "heed/see/colour_map.h"
#include "heed/see/terminal.h"
#include "heed/see/upsample.h"

namespace heed {

struct DrawingOptions : Described {
  void describe(Describer& d) override;

  int64_t block = -1;         // a decoder block; −1: the mean of all
  int64_t head = -1;          // a head; −1: the mean of all
  bool transposes = false;    // source words as rows
  bool shows_ends = false;    // includes the end of sentence
  bool shows_tokens = false;  // subwords instead of words
  bool shows_values = false;  // per cent in every cell
  double opacity = 0.8;       // of the weights over a picture
  ColourMap map = ColourMap::light;
  Upsampling upsampling = Upsampling::bilinear;
  ColourChoice colour = ColourChoice::automatic;
};

}  // namespace heed
