// ema: a ← d a + (1 − d) p after every update, d = min(decay, (t − 1) / (t + 9)), t = 1, 2, …
//
// So the first weights are taken as they are, and early ones, soon far away, are soon forgotten.
#include <algorithm>

#include "heed/train/averages.h"
#include "heed/train/optimiser.h"

namespace heed {
namespace {

class Ema : public Average {
 public:
  void describe(Describer& d) override {
    d.setting("decay", decay_,
              {.help = "what an update leaves of the mean so far", .least = 0, .most = 0.9999999});
  }

 protected:
  std::vector<std::string> kinds() const override { return {"ema"}; }
  bool is_due(int64_t /*step*/) const override { return true; }
  void take(const Tensor& p, std::span<const Tensor> state) const override {
    const auto t = static_cast<double>(taken());
    const double decay = std::min(decay_, (t - 1) / (t + 9));
    update_by(function<fn::Mix>, state[0], {state[0], p}, {.a = decay, .b = 1 - decay});
  }
  Tensor mean(std::span<const Tensor> state) const override { return state[0]; }

 private:
  double decay_ = 0.999;
};

}  // namespace

std::unique_ptr<Average> ema() { return std::make_unique<Ema>(); }

}  // namespace heed
