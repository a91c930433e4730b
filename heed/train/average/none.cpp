// none: the weights themselves.
#include "heed/train/averages.h"

namespace heed {
namespace {

class NoAverage : public Average {
 public:
  void describe(Describer& /*d*/) override {}

 protected:
  std::vector<std::string> kinds() const override { return {}; }
  bool is_due(int64_t /*step*/) const override { return false; }
  void take(std::span<const FollowedTensor> /*tensors*/) const override {}
  Tensor mean(std::span<const Tensor> /*state*/) const override {
    fail("average: saw none asked for a mean, needs one that keeps some; ask `differs` first");
  }
};

}  // namespace

std::unique_ptr<Average> no_average() { return std::make_unique<NoAverage>(); }

}  // namespace heed
