// pyramid: recurrent layers, each of which reads every two rows of the one below joined to one, so that
// time is halved again and again (Chan 2016, Listen, Attend and Spell, §3.1):
//
//   h⁰ = layer_0(x)                       h^l_j from left to right and right to left, side by side
//   h^l = layer_l([h^{l−1}_{2j}; h^{l−1}_{2j+1}])      l = 1 … halvings; an odd row is joined to zeros
//
// n rows become ⌈n / 2^halvings⌉. C is the top layer's final state of both directions.
#include "heed/config/limits.h"
#include "heed/model/encoders.h"
#include "heed/model/frame_rows.h"
#include "heed/nn/drop.h"
#include "heed/nn/recurrent_layer.h"
#include "heed/ops/concat.h"

namespace heed {
namespace {

class PyramidEncoder : public Encoder {
 public:
  void describe(Describer& d) override {
    d.setting("cell", cell_, name_from(cells().listing(), "what a step computes"));
    d.setting(
        "halvings", halvings_,
        {.help = "layers above the first; each halves the number of rows", .least = 0, .most = 8});
    d.setting("width", width_,
              {.help = "width of the state in each direction", .least = 1, .most = most_width});
    d.setting("dropout", dropout_,
              {.help = "share of a layer's input dropped in training, from the second layer on",
               .least = 0,
               .most = most_dropout});
    if (cells().make(cell_)->has_cell) {
      d.setting("forget_bias", forget_bias_,
                {.help = "initial bias of the forget gate", .least = -100, .most = 100});
    }
    for (size_t i = 0; i < layers_.size(); ++i) {
      d.built(fmt::format("layers.{}.{}", i / 2, i % 2 == 1 ? "backward" : "forward"), *layers_[i]);
    }
  }

  void build(int64_t input, Init& init) override {
    const std::unique_ptr<Cell> cell = cells().make(cell_);
    layers_.clear();
    for (int64_t level = 0; level <= halvings_; ++level) {
      const int64_t entering = level == 0 ? input : 2 * width();
      for (int way = 0; way < 2; ++way) {
        layers_.push_back(std::make_unique<RecurrentLayer>());
        layers_.back()->build(*cell, {entering, width_}, forget_bias_, init);
      }
    }
  }

  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const override {
    FieldRows level{rows, layout};
    Tensor summary;
    for (size_t i = 0; i < layers_.size(); i += 2) {
      if (i > 0) {
        level = joined(level, 2, 2);
        level.values = drop(level.values, dropout_, pass);
      }
      const auto forward = (*layers_[i])(level.values, level.layout, {}, false);
      const auto backward = (*layers_[i + 1])(level.values, level.layout, {}, true);
      level.values = concat({forward.rows, backward.rows}, 1);
      summary = concat({forward.state.hidden, backward.state.hidden}, 1);
    }
    return {level.layout, {level.values}, summary};
  }

  int64_t width() const override { return 2 * width_; }
  int64_t stride() const override { return int64_t{1} << halvings_; }

 private:
  std::string cell_ = "lstm";
  int64_t halvings_ = 2;
  int64_t width_ = 256;
  double dropout_ = 0;
  double forget_bias_ = 1;
  std::vector<std::unique_ptr<RecurrentLayer>> layers_;  // forward and backward of each level
};

}  // namespace

std::unique_ptr<Encoder> pyramid_encoder() { return std::make_unique<PyramidEncoder>(); }

}  // namespace heed
