// additive (mlp, concat): e_ij = vᵀ f(W_q q_i + W_k k_j + b), f = tanh by default (Bahdanau 2014,
// Xu 2015). With W = [W_q W_k] this is vᵀ f(W [q; k] + b). Keys are prepared as W_k k_j.
#include "heed/attention/fused.h"
#include "heed/attention/head_product.h"
#include "heed/attention/scores.h"
#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"

namespace heed {
namespace {

class AdditiveScore : public Score {
 public:
  void describe(Describer& d) override {
    d.setting(
        "width", width_,
        {.help = "width A of the hidden layer; 0: the key's", .least = 0, .most = most_width});
    d.setting("activation", activation_,
              {{"tanh", Activation::tanh},
               {"relu", Activation::relu},
               {"sigmoid", Activation::sigmoid},
               {"gelu", Activation::gelu}},
              {"f"});
    d.setting("bias", has_bias_, {"add b inside f"});
    d.parameter("query", query_);
    d.parameter("key", key_);
    d.parameter("v", v_);
    d.parameter("b", b_);
  }
  void build(const ScoreWidths& widths, Init& init) override {
    const int64_t a = width_ > 0 ? width_ : widths.key;
    const int64_t g = widths.groups;
    const int64_t p = widths.heads_per_group;
    query_ = init.glorot({g, p, widths.query, a});
    key_ = init.glorot({g, widths.key, a});
    v_ = init.glorot({g, p, a});
    if (has_bias_) {
      b_ = init.zeros({g, p, 1, a});
    }
  }
  Tensor prepare(const Tensor& keys) const override { return head_product(keys, key_); }
  Tensor kernel_keys(const Tensor& prepared) const override {
    return prepare_kernel_keys(prepared, activation_);
  }
  Tensor prepare_query(const Tensor& query, Products* products) const override {
    const Tensor q = head_product(query, query_, products);
    return has_bias_ ? q + b_ : q;
  }
  std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const override {
    return Additive{query, prepared, v_, activation_, {}};
  }

 private:
  int64_t width_ = 0;
  Activation activation_ = Activation::tanh;
  bool has_bias_ = true;
  Tensor query_;  // W_q [G, P, d_q, A]
  Tensor key_;    // W_k [G, d_k, A]
  Tensor v_;      // [G, P, A]
  Tensor b_;      // [G, P, 1, A]
};

}  // namespace

std::unique_ptr<Score> additive() { return std::make_unique<AdditiveScore>(); }

}  // namespace heed
