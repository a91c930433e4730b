// local_p(D) (Luong 2015): the model predicts where to look,
//
//   p_i  = (n_i − 1) · σ(v_pᵀ tanh(W_p q_i))
//   open:  |j − p_i| ≤ D
//   α̃_ij = α_ij · exp(−(j − p_i)² / 2σ²),   σ = D/2
//
// The weights α̃ are not renormalised. Gradients reach W_p and v_p through the Gaussian; the window itself has none.
#include "heed/attention/focuses.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

class LocalP : public Focus {
 public:
  void describe(Describer& d) override {
    d.setting("D", d_, {.help = "slots open to either side of p", .least = 1, .most = most_slots});
    d.parameter("weight", weight_);
    d.parameter("v", v_);
  }
  void build(const FocusWidths& widths, Init& init) override {
    weight_ = init.glorot({widths.groups, widths.heads_per_group, widths.query, widths.query});
    v_ = init.glorot({widths.groups, widths.heads_per_group, widths.query, 1});
  }
  bool tempers() const override { return true; }
  void narrow(Where& where, const FocusInput& in) const override {
    require(!where.centre.defined(),
            "focus: two parts place a Gaussian, but a row has one centre; keep one of them");
    const Tensor query = widened(in.query);
    const Tensor squashed = sigmoid(squeeze(matmul(tanh(matmul(query, weight_)), v_), -1));
    where.centre = affine(where.count, 1, -1) * squashed;  // [M, G, P, R]
    where.sigma = static_cast<double>(d_) / 2;
    const Tensor p = where.centre.detached();
    const double reach = static_cast<double>(d_);
    // ⌈p − D⌉ ≤ j < ⌊p + D⌋ + 1
    open_only(where, -floor(affine(p, -1, reach)), affine(floor(affine(p, 1, reach)), 1, 1));
  }

 private:
  int64_t d_ = 10;
  Tensor weight_;  // W_p [G, P, d, d]
  Tensor v_;       // v_p [G, P, d, 1]
};

}  // namespace

std::unique_ptr<Focus> local_p() { return std::make_unique<LocalP>(); }

}  // namespace heed
