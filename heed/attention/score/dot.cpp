// dot:        e_ij = q_iᵀ k_j         (Luong 2015)
// scaled_dot: e_ij = q_iᵀ k_j / √d    (Vaswani 2017)
//
// For independent components of unit variance qᵀk has variance d, and a large score puts softmax
// where its gradient vanishes. The division by √d brings the variance back to 1.
#include <cmath>

#include "heed/attention/scores.h"

namespace heed {
namespace {

class DotScore : public Score {
 public:
  explicit DotScore(bool scaled) : scaled_(scaled) {}

  void build(const ScoreWidths& widths, Init& /*init*/) override {
    require_equal_widths(widths, scaled_ ? "scaled_dot" : "dot");
  }
  std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const override {
    const double scale = scaled_ ? 1 / std::sqrt(static_cast<double>(query.size(-1))) : 1;
    return Dot{query, prepared, scale};
  }

 private:
  bool scaled_;
};

}  // namespace

std::unique_ptr<Score> dot() { return std::make_unique<DotScore>(false); }
std::unique_ptr<Score> scaled_dot() { return std::make_unique<DotScore>(true); }

}  // namespace heed
