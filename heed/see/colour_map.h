// The colours of weights over a picture, from none (0) to the largest of the word (1):
//
//   light   black, grey, white (Xu 2015): what is looked at is lit
//   heat    black, red, yellow, white
//   blue    night blue, blue, white
#pragma once

#include "heed/see/ramp.h"

namespace heed {

enum class ColourMap { light, heat, blue };

/// The colour of a share of the largest weight, which is brought into [0, 1].
Rgb mapped_colour(ColourMap map, double share);

/// The nearest of xterm's colours 16 to 255: a cube of six levels for each channel, and 24 greys.
int palette_colour(Rgb colour);

}  // namespace heed
