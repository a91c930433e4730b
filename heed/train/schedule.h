// How the learning rate changes over a run: η(step) = η_max · factor(progress).
//
// A pure function of the progress, so that a resumed run needs nothing but its numbers. A schedule
// that watches validation is asked after each whether the rate falls; how often it fell is part of
// the progress.
#pragma once

#include <cstdint>

#include "heed/config/described.h"

namespace heed {

struct RunProgress {
  int64_t step = 0;   // counted from 0
  int64_t steps = 1;  // of the whole run
  int64_t falls = 0;  // how often `falls_after` said yes
};

class Schedule : public Described {
 public:
  /// In [0, 1].
  virtual double factor(const RunProgress& progress) const = 0;

  /// Whether it needs validation at all.
  virtual bool watches_validation() const { return false; }
  /// Whether the rate falls after so many validations without gain, counted from the last fall or
  /// gain.
  virtual bool falls_after(int64_t /*without_gain*/) const { return false; }
};

}  // namespace heed
