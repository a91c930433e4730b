// α-entmax (Martins & Astudillo 2016; Peters, Niculae & Martins 2019):
//
//   p_j = max(0, (α − 1) z_j − τ)^{1/(α−1)},   τ such that Σ p = 1.
//
// With z sorted downwards and its first k entries in the support,
//
//   sparsemax (α = 2):    τ_k = mean_k(z) − 1/k                               while z_k > τ_k
//   entmax15  (α = 1.5):  τ_k = mean_k(x) − √((1 − k var_k(x)) / k), x = z/2  while x_k ≥ τ_k
//
// Gradient, with s = p^{2−α} on the support (1 for sparsemax, √p for entmax15), 0 elsewhere:
//   dz = s (dp − Σ s dp / Σ s)
#include "heed/attention/normaliser/entmax.h"

#include <limits>

#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/running_sum.h"
#include "heed/ops/select.h"
#include "heed/ops/topk.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// τ [N, 1] of rows x [N, S], already scaled by α − 1 and shifted so that the largest entry is 0.
Tensor threshold(const Tensor& x, double alpha) {
  const int64_t n = x.size(-1);
  const Tensor sorted = topk(x, n).values;
  const Tensor k = positions(n, x.place()) + 1;
  const Tensor mean = running_sum(sorted) / k;
  Tensor tau;
  Tensor inside;
  if (alpha == 2) {
    tau = mean - 1 / k;
    inside = less(tau, sorted);
  } else {
    const Tensor variance = running_sum(sorted * sorted) / k - mean * mean;
    const Tensor room = maximum(1 / k - variance, 0);
    tau = mean - sqrt(room);
    inside = at_most(tau, sorted);
  }
  const Tensor support = argmax(inside * k, 1);  // the last k inside
  return unsqueeze(pick(tau, reshape(support, {x.size(0)})), 1);
}

Tensor forward(const Tensor& scores, double alpha) {
  const int64_t slots = scores.size(-1);
  const Tensor z = reshape(scores, {-1, slots});
  const Tensor peak = max(z, 1, true);
  const Tensor sees = less(-std::numeric_limits<double>::infinity(), peak);  // 0 in rows of −∞
  // Entries 1/(α−1) or more below the peak get no weight, so −∞ may be replaced by −4 below it.
  const Tensor base = select(sees, peak, 0);
  const Tensor x = maximum(affine(z - base, alpha - 1, 0), -4);
  const Tensor above = maximum(x - threshold(x, alpha), 0);
  const Tensor p = sees * (alpha == 2 ? above : above * above);
  return reshape(p, scores.shape());
}

}  // namespace

Tensor entmax(const Tensor& scores, double alpha) {
  Tensor p;
  {
    const NoGrad no_grad;
    p = forward(scores.detached(), alpha);
  }
  return record(p, {scores}, [p = p.detached(), alpha](Gradients& g) {
    const Tensor s = alpha == 2 ? less(0, p) : sqrt(p);
    const Tensor total = sum(s, {-1}, true);
    const Tensor mean =
        sum(s * g.of(), {-1}, true) / select(total, total, 1);  // 0 in rows of zeros
    g.add(0, s * (g.of() - mean));
  });
}

namespace {

class EntmaxNormaliser : public Normaliser {
 public:
  explicit EntmaxNormaliser(double alpha) : alpha_(alpha) {}
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/,
                        Pass& /*pass*/) const override {
    return {entmax(scores, alpha_), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override { return Threshold{.alpha = alpha_}; }

 private:
  double alpha_;
};

}  // namespace

std::unique_ptr<Normaliser> sparsemax() { return std::make_unique<EntmaxNormaliser>(2); }
std::unique_ptr<Normaliser> entmax15() { return std::make_unique<EntmaxNormaliser>(1.5); }

}  // namespace heed
