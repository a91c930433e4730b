// cosine: e_ij = t · q_iᵀ k_j / (‖q_i‖ ‖k_j‖), where a norm of 0 is replaced by ε (Graves 2014). t
// = e^τ is a learned factor, one a head, unless it is switched off: the cosine itself is in [−1,
// 1], and softmax over it is nearly flat.
#include <cmath>

#include "heed/attention/scores.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/unit_rows.h"

namespace heed {
namespace {

class CosineScore : public Score {
 public:
  void describe(Describer& d) override {
    d.setting("temperature", learns_temperature_, {"learn a factor for the cosine, one a head"});
    d.setting("start", start_, {.help = "initial factor", .least = 1e-3, .most = most_factor});
    d.setting("epsilon", epsilon_, {.help = "replaces a norm of 0", .least = 1e-12, .most = 1});
    d.parameter("log_temperature", log_temperature_);
  }
  void build(const ScoreWidths& widths, Init& init) override {
    require_equal_widths(widths, "cosine");
    if (learns_temperature_) {
      log_temperature_ =
          init.constant({widths.groups, widths.heads_per_group, 1, 1}, std::log(start_));
    }
  }
  Tensor prepare(const Tensor& keys) const override { return unit_rows(keys, epsilon_); }
  std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const override {
    const Tensor direction = unit_rows(query, epsilon_);
    return Dot{learns_temperature_ ? direction * exp(log_temperature_) : direction, prepared, 1};
  }

 private:
  bool learns_temperature_ = true;
  double start_ = 10;
  double epsilon_ = 1e-6;
  Tensor log_temperature_;  // [G, P, 1, 1]
};

}  // namespace

std::unique_ptr<Score> cosine() { return std::make_unique<CosineScore>(); }

}  // namespace heed
