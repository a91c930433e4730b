// How the learning rate changes over a run: η(step) = η_max · factor(progress).
//
// A schedule is a pure function of the progress, so that a resumed run needs only its numbers. A
// schedule that watches validation is asked after each validation whether the rate falls; the
// number of falls is part of the progress.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/config/described.h"

namespace heed {

struct RunProgress {
  int64_t step = 0;   // counted from 0
  int64_t steps = 1;  // of the whole run
  int64_t falls = 0;  // how often `falls_after` returned true
};

class Schedule : public Described {
 public:
  /// In [0, 1].
  virtual double factor(const RunProgress& progress) const = 0;

  /// Whether it needs validation.
  virtual bool watches_validation() const { return false; }
  /// Whether the rate falls after this many validations without gain, counted from the last fall or
  /// gain.
  virtual bool falls_after(int64_t /*without_gain*/) const { return false; }
};

/// Fault::usage if the schedule watches validation, which only that of the learning rate may.
void require_goes_by_step(const Schedule& schedule, std::string_view where,
                          std::string_view of_what);

}  // namespace heed
