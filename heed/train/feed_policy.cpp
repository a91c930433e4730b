#include "heed/train/feed_policy.h"

#include "heed/base/error.h"

namespace heed {

void FeedPolicy::require_fed_words(const Model& model) const {
  for (const std::string& name : model.decoder_names()) {
    if (as<Autoregressive>(model.decoder(name)) != nullptr) {
      return;
    }
  }
  fail(
      Fault::usage,
      "training.feed: {} chooses the words that a decoder is fed, and {} is fed none; leave it out",
      kind(), model.decoder().kind());
}

}  // namespace heed
