// A process that dies in the middle of a save, as if the machine had lost its power.
#pragma once

#include <signal.h>

#include "heed/base/atomic_file.h"

namespace heed::test {

/// Kills this process at the n-th point of that kind from now, n from 1.
inline void kill_at(SavePoint kind, int n) {
  watch_saves([kind, left = n](SavePoint point) mutable {
    if (point == kind && --left == 0) {
      raise(SIGKILL);
    }
  });
}

}  // namespace heed::test
