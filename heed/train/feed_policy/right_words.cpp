// right_words: teacher forcing. Every position sees the right words before it.
#include "heed/train/feed_policies.h"

namespace heed {
namespace {

class RightWords : public FeedPolicy {
 public:
  void describe(Describer& /*d*/) override {}
  std::unique_ptr<Feed> at(const RunProgress& /*progress*/) const override { return nullptr; }
};

}  // namespace

std::unique_ptr<FeedPolicy> right_words() { return std::make_unique<RightWords>(); }

}  // namespace heed
