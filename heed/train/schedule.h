// How the learning rate changes over a run: η(step) = η_max · factor(step, steps).
//
// A pure function of the step (counted from 0), so that a resumed run needs nothing but its number.
#pragma once

#include <cstdint>

#include "heed/nn/module.h"

namespace heed {

class Schedule : public Module {
 public:
  /// In [0, 1]; `steps` is the length of the whole run.
  virtual double factor(int64_t step, int64_t steps) const = 0;
};

}  // namespace heed
