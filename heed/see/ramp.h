// The colour ramp of all drawings: from white-blue (no weight) to night blue (all of it) or, on a dark
// ground, from night blue to white. It is safe for the colour-blind because lightness alone shows the
// weight.
#pragma once

#include <cstdint>

namespace heed {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

enum class Ground { light, dark };

/// The colour of a darkness in [0, 1]; on a dark ground, more weight is lighter.
Rgb ramp(double darkness, Ground ground = Ground::light);

/// The ramp of terminals with 256 colours: an index among xterm's 24 greys, because their blues are
/// few and uneven.
int palette_ramp(double darkness, Ground ground = Ground::light);

/// Whether text on this darkness should be light.
bool needs_light_ink(double darkness, Ground ground = Ground::light);

}  // namespace heed
