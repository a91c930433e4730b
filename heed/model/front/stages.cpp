// stages: a small convolutional network that is trained with its model. A stage halves height and
// width; layer norm takes the place of batch norm, so that a picture does not change with its batch
// (Ba 2016; residual connections as in He 2016).
//
//   x ← f(norm(W ∗ x)), by a stride of 2;   x ← x + f(norm(W ∗ x)), depth − 1 times;   f = relu
//   norm(x) = w (x − μ) / √(σ² + ε) + b,  μ and σ² over all cells and channels of a picture,
//                                         w and b of each channel (Wu 2018, with one group)
//
// A norm of each cell by itself would make the noise of an empty ground as large as a shape. A model
// learns very slowly from that. The rows are the cells of the last stage, each brought to one size
// by a layer norm of its own if `norm_rows`, with positions added. A cell's weight then says how much
// of it a decoder reads, because no cell is larger than the others.
#include "heed/config/limits.h"
#include "heed/model/fronts.h"
#include "heed/model/grid/grid_positions.h"
#include "heed/model/grid/grids_of_pictures.h"
#include "heed/nn/convolution.h"
#include "heed/nn/norms.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// f(norm(W ∗ x)), or added to x.
class NormedConvolution : public Module {
 public:
  void build(int64_t in, int64_t out, const GridWindows& windows, Init& init) {
    convolution_.build(in, out, {.windows = windows, .has_bias = false}, init);
    weight_ = init.constant({out}, 1);
    bias_ = init.zeros({out});
    is_residual_ = windows.stride == 1 && in == out;
  }
  void describe(Describer& d) override {
    d.built("convolution", convolution_);
    d.parameter("weight", weight_);
    d.parameter("bias", bias_);
  }
  Tensor operator()(const Tensor& x, const Pass& pass) const {
    const Tensor y = relu(normed(convolution_(x, pass)));
    return is_residual_ ? x + y : y;
  }

 private:
  /// x [B, H, W, C], normed over the pictures
  Tensor normed(const Tensor& x) const {
    const Tensor pictures = reshape(x, {x.size(0), x.size(1) * x.size(2) * x.size(3)});
    return reshape(layer_norm(pictures, {}, {}), x.shape()) * weight_ + bias_;
  }

  Convolution convolution_;
  Tensor weight_;  // w [C]
  Tensor bias_;    // b [C]
  bool is_residual_ = false;
};

class StagesFront : public Front {
 public:
  void describe(Describer& d) override {
    d.setting("channels", channels_,
              {.help = "the channels of each stage; each halves height and width",
               .least = 1,
               .most = most_width});
    d.setting("depth", depth_, {.help = "convolutions in a stage", .least = 1, .most = 16});
    d.setting("kernel", kernel_,
              {.help = "cells that a convolution sees, in each direction", .least = 1, .most = 31});
    d.setting("norm_rows", norms_rows_, {"bring the rows to one size by a layer norm"});
    body_.positions.describe_settings(d);
  }
  RowKind reads() const override { return RowKind::pixels; }
  int64_t width(const FrontWidths& /*widths*/) const override {
    check();
    return channels_.back();
  }

  void build(const FrontWidths& widths, Init& init) override {
    check();
    require(widths.source.width() == pixel_channels,
            "front: stages reads pictures, and these rows are no pixels; choose another front");
    require(
        widths.shared == nullptr,
        "front: stages reads no words whose embeddings could be shared; turn share_embeddings off");
    place_ = init.place();
    int64_t in = pixel_channels;
    for (const int64_t out : channels_) {
      for (int64_t i = 0; i < depth_; ++i) {
        body_.convolutions.push_back(std::make_unique<NormedConvolution>());
        body_.convolutions.back()->build(
            in, out, GridWindows::square(kernel_, i == 0 ? 2 : 1, Padding::same()), init);
        in = out;
      }
    }
    if (norms_rows_) {
      body_.norm = layer_norm();
      body_.norm->build(in, init);
    }
    body_.positions.build(in, init);
  }
  Module& layers() override { return body_; }
  int64_t stride() const override { return int64_t{1} << channels_.size(); }

  FieldRows operator()(const FieldRows& source, Pass& pass) const override {
    FieldRows rows = grids_of_pictures(source, place_, [&](const Tensor& x) {
      Tensor y = x;
      for (const auto& convolution : body_.convolutions) {
        y = (*convolution)(y, pass);
      }
      return y;
    });
    const Tensor cells = body_.norm ? (*body_.norm)(rows.values) : rows.values;
    rows.values = body_.positions(cells, rows.layout);
    return rows;
  }

 private:
  static constexpr int64_t pixel_channels = 3;

  struct Body : Module {
    std::vector<std::unique_ptr<NormedConvolution>> convolutions;
    std::unique_ptr<Norm> norm;  // of the rows, or none
    GridPositions positions{"learned"};

    void describe(Describer& d) override {
      d.children("convolution", convolutions);
      if (norm) {
        d.built("norm", *norm);
      }
      d.built("position", positions);
    }
  };

  void check() const {
    constexpr size_t most_stages = 12;
    if (channels_.empty() || channels_.size() > most_stages) {
      fail(Fault::usage, "front.channels: {} stages are not possible; give 1 to 12",
           channels_.size());
    }
  }

  std::vector<int64_t> channels_ = {32, 64, 128};
  int64_t depth_ = 2;
  int64_t kernel_ = 3;
  bool norms_rows_ = true;
  Body body_;
  Place place_;
};

}  // namespace

std::unique_ptr<Front> stages_front() { return std::make_unique<StagesFront>(); }

}  // namespace heed
