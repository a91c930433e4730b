// The colours of weights over a picture, from none (0) to the largest of the word (1):
//
//   light   black, grey, white (Xu 2015): what is looked at is lit
//   heat    black, red, yellow, white
//   blue    night blue, blue, white
#pragma once

#include <string>

#include "heed/see/ramp.h"

namespace heed {

enum class ColourMap { light, heat, blue };

/// The colour of a share of the largest weight, which is brought into [0, 1].
Rgb mapped_colour(ColourMap map, double share);

/// The nearest of xterm's colours 16 to 255: a cube of six levels for each channel, and 24 greys.
int palette_colour(Rgb colour);

/// The lightness of a colour, 0 to 255, by the weights of BT.601.
double lightness_of(Rgb colour);
/// The nearest of the four greys that terminals with sixteen colours have, 0 (black) to 3 (white), to a
/// lightness of 0 to 255; xterm and others show them as 0, 127, 229 and 255.
int grey_of_four(double lightness);
/// What makes a terminal write with such a grey, and on such a grey.
std::string ink_of_four(int grey);
std::string ground_of_four(int grey);

}  // namespace heed
