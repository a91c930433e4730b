// Decides which words the decoder is fed in training. It is a pure function of the progress and the
// pass's random keys, so that a resumed run needs nothing else.
#pragma once

#include <memory>

#include "heed/config/described.h"
#include "heed/model/feed.h"
#include "heed/train/schedule.h"

namespace heed {

class FeedPolicy : public Described {
 public:
  /// What is fed at this progress; null: the right words.
  virtual std::unique_ptr<Feed> at(const RunProgress& progress) const = 0;
};

}  // namespace heed
