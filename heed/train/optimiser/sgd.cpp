// sgd, with momentum μ and weight decay λ (as L2):
//
//   g ← g + λ p
//   u ← μ u + g                                        "velocity", kept where μ > 0
//   p ← p − η u,  or with Nesterov's look-ahead  p ← p − η (g + μ u)
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
              {.help = "how strongly weights are drawn to 0", .least = 0});
  }

 protected:
  std::vector<StateKind> kinds(const Shape& parameter) const override {
    return momentum_ > 0 ? std::vector<StateKind>{{"velocity", parameter}}
                         : std::vector<StateKind>{};
  }

  void update(const Tensor& p, const Tensor& g, std::span<const Tensor> state,
              double rate) const override {
    Tensor gradient = g;
    if (weight_decay_ > 0) {
      gradient = Tensor::empty(p.shape(), p.place());
      update_by(function<fn::AddScaled>, gradient, {g, p}, {.a = weight_decay_});
    }
    if (state.empty()) {
      update_by(function<fn::AddScaled>, p, {p, gradient}, {.a = -rate});
      return;
    }
    const Tensor& u = state[0];
    update_by(function<fn::Mix>, u, {u, gradient}, {.a = momentum_, .b = 1});
    if (looks_ahead_) {
      update_by(function<fn::AddScaled>, p, {p, gradient}, {.a = -rate});
    }
    update_by(function<fn::AddScaled>, p, {p, u}, {.a = looks_ahead_ ? -rate * momentum_ : -rate});
  }

 private:
  double momentum_ = 0;
  bool looks_ahead_ = false;
  double weight_decay_ = 0;
};

}  // namespace

std::unique_ptr<Optimiser> sgd() { return std::make_unique<Sgd>(); }

}  // namespace heed
