// The one colour ramp of every drawing: white-blue (no weight) to night blue (all of it), ever
// darker, safe for the colour-blind because lightness alone tells the weight.
#pragma once

#include <cstdint>

namespace heed {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

/// The colour of a darkness in [0, 1].
Rgb ramp(double darkness);

/// For terminals of 256 colours, whose blues are too few and uneven: an index among xterm's 24
/// greys.
int palette_ramp(double darkness);

/// Whether text on this darkness should be light.
bool needs_light_ink(double darkness);

}  // namespace heed
