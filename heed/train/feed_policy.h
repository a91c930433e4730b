// Decides which words the decoder is fed in training. It is a pure function of the progress and the
// pass's random keys, so that a resumed run needs nothing else.
#pragma once

#include <memory>

#include "heed/config/described.h"
#include "heed/model/model.h"
#include "heed/train/schedule.h"

namespace heed {

class FeedPolicy : public Described {
 public:
  /// Called when the model is built. Fault::usage if the policy makes no sense with it, or if its
  /// settings make none.
  virtual void check(const Model& /*model*/) const {}
  /// What is fed at this progress; null: the right words.
  virtual std::unique_ptr<Feed> at(const RunProgress& progress) const = 0;

 protected:
  /// Fault::usage if no decoder of the model is fed words.
  void require_fed_words(const Model& model) const;
};

}  // namespace heed
