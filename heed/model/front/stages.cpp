// stages: a small convolutional network that is trained with its model. A stage halves height and
// width; layer norm takes the place of batch norm, so that a picture does not change with its batch
// (Ba 2016; residual connections as in He 2016).
//
//   x ← f(norm(W ∗ x)), by a stride of 2;   x ← x + f(norm(W ∗ x)), depth − 1 times;   f = relu
//
// The rows are the cells of the last stage, with positions added.
#include "heed/config/limits.h"
#include "heed/model/fronts.h"
#include "heed/model/grid_positions.h"
#include "heed/model/grids_of_pictures.h"
#include "heed/nn/convolution.h"
#include "heed/nn/norms.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

/// f(norm(W ∗ x)), or added to x.
class NormedConvolution : public Module {
 public:
  void build(int64_t in, int64_t out, const GridWindows& windows, Init& init) {
    convolution_.build(in, out, {.windows = windows, .has_bias = false}, init);
    norm_ = layer_norm();
    norm_->build(out, init);
    is_residual_ = windows.stride == 1 && in == out;
  }
  void describe(Describer& d) override {
    d.built("convolution", convolution_);
    d.built("norm", *norm_);
  }
  Tensor operator()(const Tensor& x, const Pass& pass) const {
    const Tensor y = relu((*norm_)(convolution_(x, pass)));
    return is_residual_ ? x + y : y;
  }

 private:
  Convolution convolution_;
  std::unique_ptr<Norm> norm_;
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
    body_.positions.describe_settings(d);
  }
  std::vector<std::string> fields() const override { return {"picture"}; }
  int64_t width(const FrontWidths& /*widths*/) const override {
    check();
    return channels_.back();
  }

  void build(const FrontWidths& widths, Init& init) override {
    check();
    require(widths.source.width() == pixel_channels,
            "front: saw stages and rows that are no pixels, needs pictures");
    require(widths.shared == nullptr,
            "front: saw stages and share_embeddings, needs words to share; turn it off");
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
    rows.values = body_.positions(rows.values, rows.layout);
    return rows;
  }

 private:
  static constexpr int64_t pixel_channels = 3;

  struct Body : Module {
    std::vector<std::unique_ptr<NormedConvolution>> convolutions;
    GridPositions positions{"learned"};

    void describe(Describer& d) override {
      d.children("convolution", convolutions);
      d.built("position", positions);
    }
  };

  void check() const {
    constexpr size_t most_stages = 12;
    if (channels_.empty() || channels_.size() > most_stages) {
      fail(Fault::usage, "front.channels: saw {} stages, needs 1 to 12", channels_.size());
    }
  }

  std::vector<int64_t> channels_ = {32, 64, 128};
  int64_t depth_ = 2;
  int64_t kernel_ = 3;
  Body body_;
  Place place_;
};

}  // namespace

std::unique_ptr<Front> stages_front() { return std::make_unique<StagesFront>(); }

}  // namespace heed
