// How unlike the recordings of a corpus one recording is, by rows z of features that are normalised over
// that corpus (frame_scale.h):
//
//   l_t = (1/K) Σ_k z_tk                                    how loud row t is
//   u   = mean over t of (1/K) Σ_k (z_tk − l_t)²            over the loud rows: l_t > max l − ¾
//
// A louder voice, or one that is further away, raises or lowers all numbers of a row together, and quiet rows
// are of the room. What is left is the shape of a voice's spectra. By the bundled model of digits the median of
// u is 0.19 for people whom it learned from, 0.18 for others, and 0.64 for a synthesiser.
#pragma once

#include <cstdint>
#include <span>

namespace heed {

/// Of rows [T, width]; 0 without rows.
double unlikeness(std::span<const float> rows, int64_t width);

}  // namespace heed
