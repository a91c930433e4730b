// ema: a ← d a + (1 − d) p after every update, d = min(decay, (t − 1) / (t + 9)), t = 1, 2, …
//
// So the mean starts with the first weights, and early weights are soon forgotten.
#include <algorithm>
#include <utility>

#include "heed/device/kernel/moving_average.h"
#include "heed/train/averages.h"
#include "heed/train/optimiser.h"

namespace heed {
namespace {

class Ema : public Average {
 public:
  void describe(Describer& d) override {
    d.setting("decay", decay_,
              {.help = "what an update leaves of the mean so far, in the long run",
               .least = 0,
               .most = 0.9999999});
  }
  void attach(std::vector<NamedParameter> parameters) override {
    if (!parameters.empty()) {
      numbers_.attach(2, parameters.front().tensor->place());
    }
    Average::attach(std::move(parameters));
  }

 protected:
  std::vector<std::string> kinds() const override { return {"ema"}; }
  bool is_due(int64_t /*step*/) const override { return true; }
  void take(std::span<const FollowedTensor> tensors) const override {
    if (tensors.empty()) {
      return;
    }
    const auto t = static_cast<double>(taken());
    const double decay = std::min(decay_, (t - 1) / (t + 9));
    numbers_.write({decay, 1 - decay});
    std::vector<AveragedTensor> views;
    for (const FollowedTensor& one : tensors) {
      views.push_back({one.state[0].view(), one.p.view()});
    }
    if (tensors.front().p.backend().run_fused(MovingAverage{views, numbers_.view()})) {
      return;
    }
    for (const FollowedTensor& one : tensors) {
      const Tensor taken_in = Tensor::empty(one.p.shape(), one.p.place());
      update_by(function<fn::Multiply>, taken_in, {one.p, numbers_.at(1)});
      update_by(function<fn::MultiplyAdd>, one.state[0], {one.state[0], numbers_.at(0), taken_in});
    }
  }
  Tensor mean(std::span<const Tensor> state) const override { return state[0]; }

 private:
  double decay_ = 0.999;
  StepNumbers numbers_;
};

}  // namespace

std::unique_ptr<Average> ema() { return std::make_unique<Ema>(); }

}  // namespace heed
