// sgd, with momentum μ and weight decay λ (as L2):
//
//   g ← g + λ p
//   u ← μ u + g                                        "velocity", kept where μ > 0
//   p ← p − η u,  or with Nesterov's look-ahead  p ← p − η (g + μ u)
#include "heed/config/limits.h"
#include "heed/train/optimisers.h"

namespace heed {
namespace {

class Sgd : public Optimiser {
 public:
  Sgd() : Optimiser(0.1) {}

  void describe(Describer& d) override {
    Optimiser::describe(d);
    d.setting("momentum", momentum_,
              {.help = "memory of past gradients", .least = 0, .most = 0.999999});
    d.setting("nesterov", looks_ahead_, {.help = "look ahead along the momentum"});
    d.setting("weight_decay", weight_decay_,
              {.help = "how strongly weights are drawn to 0", .least = 0, .most = most_factor});
  }

 protected:
  std::vector<StateKind> kinds(const Shape& parameter) const override {
    return momentum_ > 0 ? std::vector<StateKind>{{"velocity", parameter}}
                         : std::vector<StateKind>{};
  }

  enum Number : uint8_t { minus_rate = 1, minus_rate_momentum };
  std::vector<double> numbers(double rate) const override { return {-rate, -rate * momentum_}; }

  void update(std::span<const UpdatedTensor> tensors, const StepNumbers& numbers) const override {
    for (const UpdatedTensor& one : tensors) {
      update_one(one, numbers);
    }
  }

 private:
  void update_one(const UpdatedTensor& one, const StepNumbers& numbers) const {
    const Tensor& p = one.p;
    const Tensor g = scaled_gradient(one, numbers);
    const Tensor rate = numbers.at(minus_rate);
    if (weight_decay_ > 0) {
      update_by(function<fn::AddScaled>, g, {g, p}, {.a = weight_decay_});
    }
    if (one.state.empty()) {
      update_by(function<fn::MultiplyAdd>, p, {g, rate, p});
      return;
    }
    const Tensor& u = one.state[0];
    update_by(function<fn::Mix>, u, {u, g}, {.a = momentum_, .b = 1});
    if (looks_ahead_) {
      update_by(function<fn::MultiplyAdd>, p, {g, rate, p});
    }
    update_by(function<fn::MultiplyAdd>, p,
              {u, looks_ahead_ ? numbers.at(minus_rate_momentum) : rate, p});
  }

  double momentum_ = 0;
  bool looks_ahead_ = false;
  double weight_decay_ = 0;
};

}  // namespace

std::unique_ptr<Optimiser> sgd() { return std::make_unique<Sgd>(); }

}  // namespace heed
