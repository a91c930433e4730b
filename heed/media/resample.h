// A recording at another number of samples a second, by soxr in its setting "high quality" (20 bits:
// a pass band to 91 % of the lower rate's half, stop band below −120 dB, linear phase). One thread; the
// same bits every time.
#pragma once

#include "heed/media/sound.h"

namespace heed {

/// How many samples at rate `to` a sound of `count` samples at rate `from` has.
int64_t samples_at(int64_t count, int32_t from, int32_t to);

/// The sound at `rate`; itself where it has that rate.
Sound resampled(Sound sound, int32_t rate);

/// Played `factor` times as fast, with its pitch raised: the rate stays, the samples become fewer.
Sound sped_up(const Sound& sound, double factor);

}  // namespace heed
