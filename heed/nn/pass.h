// One forward pass: whether it trains, and where its random numbers come from. A draw is keyed by
// (seed, step, stream), where the stream counts the draws of this pass, so that a resumed run equals an
// uninterrupted one.
#pragma once

#include <cstdint>

#include "heed/base/philox.h"

namespace heed {

class Pass {
 public:
  /// Dropout off, noise off.
  static Pass serving(uint64_t seed = 0) { return {false, seed, 0}; }
  static Pass training(uint64_t seed, uint64_t step) { return {true, seed, step}; }

  bool trains() const { return trains_; }
  /// A key that no other draw of this pass has.
  RandomKey draw() { return {seed_, step_, stream_++}; }

 private:
  Pass(bool trains, uint64_t seed, uint64_t step) : trains_(trains), seed_(seed), step_(step) {}
  bool trains_;
  uint64_t seed_;
  uint64_t step_;
  uint64_t stream_ = 0;
};

}  // namespace heed
