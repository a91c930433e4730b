// frames: turns rows of numbers into the encoder's input.
//
//   x̂_t = (x_t − μ) / √(σ² + ε)              μ, σ² over the rows of a sequence, if normalised
//   y_j = W [x̂_{js}; x̂_{js+1}; …; x̂_{js+k−1}] + b     s = stride, k = stack; zeros beyond the end
//
// A sequence of n rows becomes ⌈n/s⌉ rows. Without a projection y_j is the stacked rows themselves;
// with the encoder `identity` the memory is then given from outside.
#include "heed/model/frame_rows.h"
#include "heed/model/fronts.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

/// The module without parameters, for a front that projects nothing.
class Nothing : public Module {
 public:
  void describe(Describer& /*d*/) override {}
};

class FramesFront : public Front {
 public:
  void describe(Describer& d) override {
    d.setting("normalise", normalises_,
              {"bring each number to mean 0 and variance 1 over its sequence"});
    d.setting("stack", stack_, {.help = "rows joined into one", .least = 1, .most = 1000});
    d.setting("stride", stride_,
              {.help = "keep one row of this many; with fewer stacked, rows are skipped",
               .least = 1,
               .most = 1000});
    d.setting("project", projects_, {"map the rows to model.embedding channels"});
  }
  RowKind reads() const override { return RowKind::numbers; }
  int64_t width(const FrontWidths& widths) const override {
    return projects_ ? widths.width : stack_ * widths.source.width();
  }

  void build(const FrontWidths& widths, Init& init) override {
    require(widths.source.width() > 0,
            "front: frames reads rows of numbers, and these are words; choose another front");
    require(
        widths.shared == nullptr,
        "front: frames reads no words whose embeddings could be shared; turn share_embeddings off");
    if (projects_) {
      projection_.build(stack_ * widths.source.width(), widths.width, init);
    }
  }
  Module& layers() override {
    return projects_ ? static_cast<Module&>(projection_) : static_cast<Module&>(nothing_);
  }

  FieldRows operator()(const FieldRows& source, Pass& /*pass*/) const override {
    FieldRows rows{normalises_ ? normalised(source) : source.values, source.layout};
    if (stack_ > 1 || stride_ > 1) {
      rows = joined(rows, stack_, stride_);
    }
    return {projects_ ? projection_(rows.values) : rows.values, rows.layout};
  }
  int64_t stride() const override { return stride_; }

 private:
  bool normalises_ = true;
  int64_t stack_ = 1;
  int64_t stride_ = 1;
  bool projects_ = true;
  Linear projection_;
  Nothing nothing_;
};

}  // namespace

std::unique_ptr<Front> frames_front() { return std::make_unique<FramesFront>(); }

}  // namespace heed
