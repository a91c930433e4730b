// cnn: stacked convolutions with gated linear units and residual connections (Gehring 2017),
//
//   x_{l+1} = (x_l + glu(conv(drop(x_l)))) · √½,    positions added to the input.
#include <cmath>

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/config/limits.h"
#include "heed/model/encoders.h"
#include "heed/model/summary.h"
#include "heed/nn/convolution.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/nn/positions.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/glu.h"

namespace heed {
namespace {

class CnnEncoder : public Encoder {
 public:
  void describe(Describer& d) override {
    d.setting("width", width_, {.help = "channels", .least = 1, .most = most_width});
    d.setting("depth", depth_, {.help = "convolutions", .least = 1, .most = 64});
    d.setting("kernel", kernel_,
              {.help = "rows that a convolution sees; odd", .least = 1, .most = most_width});
    d.setting("dropout", dropout_,
              {.help = "dropout in training", .least = 0, .most = most_dropout});
    d.part("position", position_, positions(), {"how positions are encoded"});
    if (input_) {
      d.built("input", *input_);
      d.built("positions", *positions_);
    }
    d.children("convolution", convolutions_);
  }
  void build(int64_t input, Init& init) override {
    require(kernel_ % 2 == 1, "cnn: the kernel has {} rows; choose an odd number", kernel_);
    input_ = std::make_unique<Linear>();
    input_->build(input, width_, init);
    require(position_->in_scores() == InScores::nothing,
            "cnn: {} positions enter the scores of self-attention, which there is none of here; "
            "set position to sinusoidal, learned or none",
            position_->kind());
    positions_ = make_part(positions(), position_->kind());
    apply(*positions_, config_of(*position_));
    positions_->build(width_, init);
    for (int64_t i = 0; i < depth_; ++i) {
      convolutions_.push_back(std::make_unique<Convolution>());
      convolutions_.back()->build_over_rows(width_, 2 * width_, {.kernel = kernel_}, init);
    }
  }
  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const override {
    Tensor x = (*positions_)((*input_)(rows), positions_of(layout));
    for (const auto& convolution : convolutions_) {
      const Tensor branch = glu(convolution->over_rows(drop(x, dropout_, pass), layout, pass).rows);
      x = affine(x + branch, std::sqrt(0.5));
    }
    return {layout, {x}, mean_of_rows(x, layout)};
  }
  int64_t width() const override { return width_; }

 private:
  int64_t width_ = 128;
  int64_t depth_ = 4;
  int64_t kernel_ = 3;
  double dropout_ = 0;
  std::unique_ptr<PositionCode> position_ = make_part(positions(), "sinusoidal");  // a prototype
  std::unique_ptr<Linear> input_;
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<Convolution>> convolutions_;
};

}  // namespace

std::unique_ptr<Encoder> cnn_encoder() { return std::make_unique<CnnEncoder>(); }

}  // namespace heed
