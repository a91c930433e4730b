// frames: turns rows of numbers into the encoder's input.
//
//   x̂_t = (x_t − μ) / √(σ² + ε)              μ, σ² over the rows of a sequence, if normalised
//   y_j = W [x̂_{js}; x̂_{js+1}; …; x̂_{js+k−1}] + b     s = stride, k = stack; zeros beyond the end
//
// A sequence of n rows becomes ⌈n/s⌉ rows. Without a projection y_j is the stacked rows themselves;
// with the encoder `identity` the memory is then given from outside.
#include "heed/model/fronts.h"
#include "heed/model/summary.h"
#include "heed/nn/linear.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// The module without parameters, for a front that projects nothing.
class Nothing : public Module {
 public:
  void describe(Describer& /*d*/) override {}
};

/// The sequence of each row.
Tensor sequence_of_rows(const Layout& layout, const Place& place) {
  std::vector<int32_t> sequence(static_cast<size_t>(layout.rows()), -1);
  for (int64_t b = 0; b < layout.count(); ++b) {
    const auto first = sequence.begin() + layout.starts()[static_cast<size_t>(b)];
    std::fill(first, first + layout.lengths()[static_cast<size_t>(b)], static_cast<int32_t>(b));
  }
  return Tensor::of(sequence, {layout.rows()}, place.with(DType::i32));
}

Tensor normalised(const FieldRows& source) {
  constexpr double least_variance = 1e-5;
  const Tensor sequence = sequence_of_rows(source.layout, source.values.place());
  const Tensor mean = mean_of_rows(source.values, source.layout);
  const Tensor centred = source.values - gather_rows(mean, sequence);
  const Tensor deviation = sqrt(mean_of_rows(centred * centred, source.layout) + least_variance);
  return centred / gather_rows(deviation, sequence);
}

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
  std::vector<std::string> fields() const override { return {"features"}; }
  int64_t width(const FrontWidths& widths) const override {
    return projects_ ? widths.width : stack_ * widths.source.width();
  }

  void build(const FrontWidths& widths, Init& init) override {
    require(widths.source.width() > 0, "front: saw frames and ids of words, needs rows of numbers");
    require(widths.shared == nullptr,
            "front: saw frames and share_embeddings, needs words to share; turn it off");
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
      rows = stacked(rows);
    }
    return {projects_ ? projection_(rows.values) : rows.values, rows.layout};
  }
  int64_t stride() const override { return stride_; }

 private:
  FieldRows stacked(const FieldRows& source) const {
    std::vector<int32_t> index;
    std::vector<int32_t> lengths;
    for (size_t b = 0; b < source.layout.lengths().size(); ++b) {
      const int64_t length = source.layout.lengths()[b];
      const int64_t start = source.layout.starts()[b];
      for (int64_t first = 0; first < length; first += stride_) {
        for (int64_t row = first; row < first + stack_; ++row) {
          index.push_back(row < length ? static_cast<int32_t>(start + row) : -1);
        }
      }
      lengths.push_back(static_cast<int32_t>((length + stride_ - 1) / stride_));
    }
    const Place place = source.values.place();
    const auto count = static_cast<int64_t>(index.size());
    const Tensor rows =
        gather_rows(source.values, Tensor::of(index, {count}, place.with(DType::i32)));
    return {reshape(rows, {count / stack_, stack_ * source.values.size(1)}),
            Layout::packed(lengths, place)};
  }

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
