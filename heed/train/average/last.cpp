// last: the mean of the weights at the last n multiples of `every` steps, or at fewer as long as
// there are fewer (Vaswani 2017 §6.1 averages the last 5 checkpoints). It keeps n copies.
#include <algorithm>

#include "heed/config/limits.h"
#include "heed/train/averages.h"
#include "heed/train/optimiser.h"

namespace heed {
namespace {

class Last : public Average {
 public:
  void describe(Describer& d) override {
    d.setting("n", n_, {.help = "how many weights are averaged", .least = 1, .most = 100});
    d.setting("every", every_,
              {.help = "steps between two of them", .least = 1, .most = most_steps});
  }

 protected:
  std::vector<std::string> kinds() const override {
    std::vector<std::string> all;
    for (int64_t i = 0; i < n_; ++i) {
      all.push_back(std::to_string(i));
    }
    return all;
  }
  bool is_due(int64_t step) const override { return step % every_ == 0; }
  void take(std::span<const FollowedTensor> tensors) const override {
    for (const FollowedTensor& one : tensors) {
      const Tensor& to = one.state[static_cast<size_t>((taken() - 1) % n_)];
      to.backend().copy(to.view(), one.p.view());
    }
  }
  Tensor mean(std::span<const Tensor> state) const override {
    const int64_t count = std::min(taken(), n_);
    const double share = 1 / static_cast<double>(count);
    Tensor sum = Tensor::empty(state[0].shape(), state[0].place());
    update_by(function<fn::Affine>, sum, {state[0]}, {.a = share});
    for (int64_t i = 1; i < count; ++i) {
      update_by(function<fn::AddScaled>, sum, {sum, state[static_cast<size_t>(i)]}, {.a = share});
    }
    return sum;
  }

 private:
  int64_t n_ = 5;
  int64_t every_ = 1000;
};

}  // namespace

std::unique_ptr<Average> last_average() { return std::make_unique<Last>(); }

}  // namespace heed
