// location_aware: e_ij = vᵀ tanh(W_q q_i + W_k k_j + U f_j + b),  f = F ∗ α_{i−1},  α_{−1} = 0
// (Chorowski 2015). f_j has `filters` components: a convolution over the previous step's weights,
// centred at j.
#include "heed/attention/head_product.h"
#include "heed/attention/scores.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/convolve.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

class LocationAwareScore : public Score {
 public:
  void describe(Describer& d) override {
    d.setting(
        "width", width_,
        {.help = "width A of the hidden layer; 0: the key's", .least = 0, .most = most_width});
    d.setting("filters", filters_,
              {.help = "features taken from the past weights", .least = 1, .most = most_width});
    d.setting("reach", reach_,
              {.help = "slots a filter sees to either side", .least = 0, .most = most_width});
    d.parameter("query", query_);
    d.parameter("key", key_);
    d.parameter("filter", filter_);
    d.parameter("feature", feature_);
    d.parameter("v", v_);
    d.parameter("b", b_);
  }
  void build(const ScoreWidths& widths, Init& init) override {
    const int64_t a = width_ > 0 ? width_ : widths.key;
    const int64_t g = widths.groups;
    const int64_t p = widths.heads_per_group;
    query_ = init.glorot({g, p, widths.query, a});
    key_ = init.glorot({g, widths.key, a});
    filter_ = init.glorot({filters_, 2 * reach_ + 1, 1});
    feature_ = init.glorot({g, p, 1, filters_, a});
    v_ = init.glorot({g, p, 1, a, 1});
    b_ = init.zeros({g, p, 1, a});
  }
  Tensor prepare(const Tensor& keys) const override { return head_product(keys, key_); }
  Tensor prepare_query(const Tensor& query, Products* products) const override {
    return head_product(query, query_, products) + b_;
  }
  Tensor operator()(const Tensor& query, const Tensor& prepared,
                    const Tensor& past) const override {
    const Shape rows = past.shape();  // [M, G, P, R, S]
    const Tensor flat = reshape(past, {-1, 1, rows[-1], 1});
    const GridWindows windows{1, 2 * reach_ + 1, 1, Padding::across(reach_, reach_)};
    const Tensor f = convolve(flat, filter_, {}, {.windows = windows});  // [M·G·P·R, 1, S, K]
    Shape features = rows;
    features.push(filters_);
    const Tensor uf = matmul(reshape(f, features), feature_);  // [M, G, P, R, S, A]
    const Tensor q = unsqueeze(query, 4);                      // [M, G, P, R, 1, A]
    const Tensor k = unsqueeze(unsqueeze(prepared, 2), 3);     // [M, G, 1, 1, S, A]
    return squeeze(matmul(tanh(q + k + uf), v_), -1);
  }
  bool reads_past() const override { return true; }

 private:
  int64_t width_ = 0;
  int64_t filters_ = 8;
  int64_t reach_ = 7;
  Tensor query_;    // W_q [G, P, d_q, A]
  Tensor key_;      // W_k [G, d_k, A]
  Tensor filter_;   // F [K, 2·reach + 1, 1]
  Tensor feature_;  // U [G, P, 1, K, A]
  Tensor v_;        // [G, P, 1, A, 1]
  Tensor b_;        // [G, P, 1, A]
};

}  // namespace

std::unique_ptr<Score> location_aware() { return std::make_unique<LocationAwareScore>(); }

}  // namespace heed
