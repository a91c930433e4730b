// adam (Kingma and Ba 2015), at update t = 1, 2, …:
//
//   g ← g + λ p                     (adam only: L2)
//   p ← p − η λ p                   (adamw only: decay apart from the gradient, Loshchilov 2019)
//   m ← β₁ m + (1 − β₁) g           "first"
//   v ← β₂ v + (1 − β₂) g²          "second"
//   p ← p − η m̂ / (√v̂ + ε),         m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
#include "heed/device/kernel/adam.h"

#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/optimisers.h"

namespace heed {
namespace {

enum class Decay { in_gradient, apart };

/// The indices of the numbers that change from update to update; see AdamStep.
enum Number : uint8_t { scale, rate, root, shrink };

/// The same from the primitives, where a backend has no kernel for it.
void compose(const AdamStep& step, const UpdatedTensor& one, const StepNumbers& numbers) {
  const Tensor& p = one.p;
  const Tensor& m = one.state[0];
  const Tensor& v = one.state[1];
  const Tensor gradient = scaled_gradient(one, numbers);
  const Tensor scratch = Tensor::empty(p.shape(), p.place());
  update_by(function<fn::AddScaled>, gradient, {gradient, p}, {.a = step.pull});
  update_by(function<fn::Multiply>, p, {p, numbers.at(shrink)});
  update_by(function<fn::Mix>, m, {m, gradient}, {.a = step.beta1, .b = 1 - step.beta1});
  update_by(function<fn::Multiply>, scratch, {gradient, gradient});
  update_by(function<fn::Mix>, v, {v, scratch}, {.a = step.beta2, .b = 1 - step.beta2});
  update_by(function<fn::Sqrt>, scratch, {v});
  update_by(function<fn::Multiply>, scratch, {scratch, numbers.at(root)});
  update_by(function<fn::Affine>, scratch, {scratch}, {.a = 1, .b = step.epsilon});
  update_by(function<fn::Divide>, scratch, {m, scratch});
  update_by(function<fn::Multiply>, scratch, {scratch, numbers.at(rate)});
  update_by(function<fn::Subtract>, p, {p, scratch});
}

class Adam : public Optimiser {
 public:
  explicit Adam(Decay decay) : Optimiser(1e-3), decay_(decay) {}

  void describe(Describer& d) override {
    Optimiser::describe(d);
    d.setting("beta1", beta1_, {.help = "memory of the gradient", .least = 0, .most = 0.999999});
    d.setting("beta2", beta2_, {.help = "memory of its square", .least = 0, .most = 0.999999});
    d.setting("epsilon", epsilon_,
              {.help = "added to the root of the square", .least = 0, .most = 1});
    d.setting("weight_decay", weight_decay_,
              {.help = "how strongly weights are drawn to 0", .least = 0, .most = most_factor});
  }

 protected:
  std::vector<StateKind> kinds(const Shape& parameter) const override {
    return {{"first", parameter}, {"second", parameter}};
  }

  std::vector<double> numbers(double rate) const override {
    const auto t = static_cast<double>(std::max<int64_t>(1, updates()));
    return {rate / (1 - std::pow(beta1_, t)), 1 / std::sqrt(1 - std::pow(beta2_, t)),
            decay_ == Decay::apart ? 1 - rate * weight_decay_ : 1};
  }

  void update(std::span<const UpdatedTensor> tensors, const StepNumbers& numbers) const override {
    std::vector<AdamTensors> views;
    for (const UpdatedTensor& one : tensors) {
      views.push_back({one.p.view(), one.state[0].view(), one.state[1].view(), one.g.view()});
    }
    const AdamStep step{.tensors = views,
                        .numbers = numbers.view(),
                        .beta1 = beta1_,
                        .beta2 = beta2_,
                        .epsilon = epsilon_,
                        .pull = decay_ == Decay::apart ? 0 : weight_decay_};
    if (tensors.front().p.backend().run_fused(step)) {
      return;
    }
    for (const UpdatedTensor& one : tensors) {
      compose(step, one, numbers);
    }
  }

 private:
  Decay decay_;
  double beta1_ = 0.9;
  double beta2_ = 0.98;
  double epsilon_ = 1e-8;
  double weight_decay_ = 0;
};

}  // namespace

std::unique_ptr<Optimiser> adam() { return std::make_unique<Adam>(Decay::in_gradient); }
std::unique_ptr<Optimiser> adamw() { return std::make_unique<Adam>(Decay::apart); }

}  // namespace heed
