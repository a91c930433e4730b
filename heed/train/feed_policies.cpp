#include "heed/train/feed_policies.h"

namespace heed {

const Catalogue<FeedPolicy>& feed_policies() {
  static const Catalogue<FeedPolicy> all{
      "feed",
      {
          {"right_words", {"teacher_forcing"}, "y_{i−1}", HEED_MADE_BY(FeedPolicy, right_words)},
          {"random_words",
           {},
           "y_{i−1}, or with probability p any word of the vocabulary",
           HEED_MADE_BY(FeedPolicy, random_words)},
          {"scheduled_sampling",
           {},
           "y_{i−1}, or with probability p the model's own word (Bengio 2015)",
           HEED_MADE_BY(FeedPolicy, scheduled_sampling)},
      }};
  return all;
}

}  // namespace heed
