// How attention is drawn: every setting with its name, range, default and help.
#pragma once

#include "heed/config/described.h"
#include "heed/see/colour_map.h"
#include "heed/see/terminal.h"
#include "heed/see/upsample.h"

namespace heed {

/// Whose weights are drawn: the decoder's in the source, the decoder's in its own words, or the encoder's.
enum class AttentionOf { cross, self, encoder };

struct DrawingOptions : Described {
  void describe(Describer& d) override;

  std::string title = {};
  AttentionOf of = AttentionOf::cross;
  int64_t block = -1;         // −1: the mean of all
  int64_t head = -1;          // −1: the mean of all
  bool shows_heads = false;   // every head by itself
  bool transposes = false;    // source words as rows
  bool shows_ends = false;    // the target's end has a row
  bool shows_tokens = false;  // subwords instead of words
  bool shows_values = false;  // per cent in every cell
  double darkest = 0;         // the weight that is drawn darkest; 0: the largest
  double opacity = 0.8;       // of the weights over a picture
  ColourMap map = ColourMap::light;
  Upsampling upsampling = Upsampling::bilinear;
  ColourChoice colour = ColourChoice::automatic;
  GroundChoice ground = GroundChoice::automatic;
};

}  // namespace heed
