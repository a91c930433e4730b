// bilinear (general): e_ij = q_iᵀ W k_j; q and k may differ in width (Luong 2015). The query is
// projected, so that keys need no preparation: (Wᵀ q_i)ᵀ k_j.
#include "heed/attention/head_product.h"
#include "heed/attention/scores.h"

namespace heed {
namespace {

class BilinearScore : public Score {
 public:
  void describe(Describer& d) override { d.parameter("weight", weight_); }
  void build(const ScoreWidths& widths, Init& init) override {
    weight_ = init.glorot({widths.groups, widths.heads_per_group, widths.query, widths.key});
  }
  Tensor prepare_query(const Tensor& query, Products* products) const override {
    return head_product(query, weight_, products);
  }
  std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const override {
    return Dot{query, prepared, 1};
  }

 private:
  Tensor weight_;  // [G, P, d_q, d_k]
};

}  // namespace

std::unique_ptr<Score> bilinear() { return std::make_unique<BilinearScore>(); }

}  // namespace heed
