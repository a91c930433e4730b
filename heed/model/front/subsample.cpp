// subsample: convolutions over time, each with a stride s_l, usually 2, so that n rows of numbers
// become about n / 2^depth (Listen, Attend and Spell and its successors see a quarter of the frames).
//
//   x⁰ = x̂                          the rows, brought to mean 0 and variance 1 if normalised
//   x^{l+1}_j = f(conv(x^l)_{j s_l})  l = 0 … depth − 1, f an activation, rows beyond the ends 0
//   y = W x^depth + b                 or x^depth itself, as in Whisper, whose strides are 1 and 2
//
// ⌈n/s_l⌉ rows remain of n at each layer. Row j of the output sees the source around row j Π_l s_l.
#include "heed/config/limits.h"
#include "heed/model/frame_rows.h"
#include "heed/model/fronts.h"
#include "heed/nn/activations.h"
#include "heed/nn/convolution.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

/// The parameters of the front.
class SubsampleLayers : public Module {
 public:
  void describe(Describer& d) override {
    d.children("convolution", convolutions);
    if (projection) {
      d.built("projection", *projection);
    }
  }

  std::vector<std::unique_ptr<Convolution>> convolutions;
  std::unique_ptr<Linear> projection;  // null: there is none
};

class SubsampleFront : public Front {
 public:
  void describe(Describer& d) override {
    d.setting("normalise", normalises_,
              {"bring each number to mean 0 and variance 1 over its sequence"});
    d.setting("depth", depth_,
              {.help = "convolutions; each halves the number of rows", .least = 1, .most = 6});
    d.setting("strides", strides_,
              {.help = "rows from which each convolution makes one, such as [1, 2]; empty: 2 each",
               .least = 1,
               .most = 64});
    d.setting("project", projects_,
              {"map the rows to model.embedding channels; otherwise the channels are the rows"});
    d.setting("channels", channels_,
              {.help = "channels of each convolution; 0: model.embedding",
               .least = 0,
               .most = most_width});
    d.setting("kernel", kernel_,
              {.help = "rows that a convolution sees; odd", .least = 3, .most = 1001});
    d.setting("activation", activation_, {.help = "f", .choices = activation_names()});
    d.setting("dropout", dropout_,
              {.help = "share of each convolution's output dropped in training",
               .least = 0,
               .most = most_dropout});
  }
  RowKind reads() const override { return RowKind::numbers; }
  int64_t width(const FrontWidths& widths) const override {
    return projects_ ? widths.width : channels_of(widths);
  }

  void build(const FrontWidths& widths, Init& init) override {
    require(widths.source.width() > 0,
            "front: subsample reads rows of numbers, and these are words; choose another front");
    require(widths.shared == nullptr,
            "front: subsample reads no words whose embeddings could be shared; turn "
            "share_embeddings off");
    require(kernel_ % 2 == 1, "subsample: the kernel has {} rows; choose an odd number", kernel_);
    require(strides_.empty() || static_cast<int64_t>(strides_.size()) == depth_,
            "subsample: there are {} strides for {} convolutions; give one for each, or none",
            strides_.size(), depth_);
    const int64_t channels = channels_of(widths);
    int64_t entering = widths.source.width();
    for (int64_t i = 0; i < depth_; ++i) {
      layers_.convolutions.push_back(std::make_unique<Convolution>());
      layers_.convolutions.back()->build_over_rows(
          entering, channels, {.kernel = kernel_, .stride = stride_of(i)}, init);
      entering = channels;
    }
    if (projects_) {
      layers_.projection = std::make_unique<Linear>();
      layers_.projection->build(channels, widths.width, init);
    }
    f_ = &activation_named(activation_);
  }
  Module& layers() override { return layers_; }

  FieldRows operator()(const FieldRows& source, Pass& pass) const override {
    FieldRows rows{normalises_ ? normalised(source) : source.values, source.layout};
    for (const auto& convolution : layers_.convolutions) {
      const Convolution::Rows out = convolution->over_rows(rows.values, rows.layout, pass);
      rows = {drop(f_->of(out.rows), dropout_, pass), out.layout};
    }
    return projects_ ? FieldRows{(*layers_.projection)(rows.values), rows.layout} : rows;
  }
  int64_t stride() const override {
    int64_t all = 1;
    for (int64_t i = 0; i < depth_; ++i) {
      all *= stride_of(i);
    }
    return all;
  }

 private:
  int64_t stride_of(int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return at < strides_.size() ? strides_[at] : 2;
  }
  int64_t channels_of(const FrontWidths& widths) const {
    return channels_ > 0 ? channels_ : widths.width;
  }

  bool normalises_ = true;
  int64_t depth_ = 2;
  std::vector<int64_t> strides_ = {};
  bool projects_ = true;
  int64_t channels_ = 0;
  int64_t kernel_ = 3;
  std::string activation_ = "relu";
  double dropout_ = 0;
  SubsampleLayers layers_;
  const NamedActivation* f_ = nullptr;
};

}  // namespace

std::unique_ptr<Front> subsample_front() { return std::make_unique<SubsampleFront>(); }

}  // namespace heed
