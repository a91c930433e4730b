#include "heed/nn/feed_forward.h"

#include "heed/config/limits.h"
#include "heed/nn/activations.h"
#include "heed/nn/drop.h"
#include "heed/ops/arithmetic.h"

namespace heed {

void FeedForward::describe(Describer& d) {
  d.setting("width", inner_width_,
            {.help = "width of the wide layer; 0: four times the input's",
             .least = 0,
             .most = most_width});
  d.setting("activation", activation_, {.help = "f", .choices = activation_names()});
  d.setting("gated", is_gated_, {"multiply f(x W1) by x W3"});
  d.setting("bias", has_bias_, {"add b1, b2 and b3"});
  d.setting(
      "dropout", dropout_,
      {.help = "share of the wide layer dropped in training", .least = 0, .most = most_dropout});
  d.child("inner", inner_);
  d.child("gate", gate_);
  d.child("outer", outer_);
}

void FeedForward::build(int64_t width, Init& init) {
  const int64_t wide = inner_width_ > 0 ? inner_width_ : 4 * width;
  f_ = &activation_named(activation_);
  inner_.build_with(has_bias_, width, wide, init);
  if (is_gated_) {
    gate_.build_with(has_bias_, width, wide, init);
  }
  outer_.build_with(has_bias_, wide, width, init);
}

Tensor FeedForward::operator()(const Tensor& x, Pass& pass) const {
  Tensor wide = inner_.activated(x, *f_, pass);
  if (is_gated_) {
    wide = wide * gate_(x, pass);
  }
  return outer_(drop(wide, dropout_, pass), pass);
}

}  // namespace heed
