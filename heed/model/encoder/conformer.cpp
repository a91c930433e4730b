// conformer: Transformer blocks with a convolution, between two halves of a feed-forward (Gulati 2020):
//
//   x₁ = x  + ½ feed_forward(norm(x))
//   x₂ = x₁ + self_attention(norm(x₁))
//   x₃ = x₂ + convolution(norm(x₂))
//   y  = norm(x₃ + ½ feed_forward(norm(x₃)))
//
//   convolution(x) = W₂ swish(norm(depthwise(glu(W₁ x + b₁)))) + b₂
//
// The paper has a batch norm after the depthwise convolution; here it is the block's norm, row by row,
// so that a recording does not depend on its batch. Positions are those of the Transformer encoder;
// the default is relative,
// as in the paper.
#include <algorithm>
#include <array>

#include "heed/attention/attend_within.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/config/limits.h"
#include "heed/model/encoders.h"
#include "heed/model/summary.h"
#include "heed/model/transformer_block.h"
#include "heed/nn/convolution.h"
#include "heed/nn/drop.h"
#include "heed/nn/linear.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/glu.h"

namespace heed {
namespace {

/// The settings that all blocks share; what it has in common with a Transformer's is there.
struct ConformerDesign {
  ConformerDesign() {
    apply(transformer.feed_forward, parse_json(R"({"activation": "silu"})", "conformer"));
    transformer.position = make_part(positions(), "relative");
  }

  void describe(Describer& d) {
    d.setting("width", transformer.width,
              {.help = "channels of every block", .least = 1, .most = most_width});
    d.setting("depth", transformer.depth, {.help = "blocks", .least = 1, .most = 256});
    d.setting("kernel", kernel,
              {.help = "rows that the convolution of a block sees; odd", .least = 1, .most = 1001});
    d.part("position", transformer.position, positions(), {"how positions are encoded"});
    d.setting(
        "dropout", transformer.dropout,
        {.help = "dropout of each residual branch in training", .least = 0, .most = most_dropout});
    d.part("norm", transformer.norm, norms(), {"normalisation of activations"});
    d.child("self", transformer.self);
    d.child("feed_forward", transformer.feed_forward);
  }

  TransformerDesign transformer{false, false};
  int64_t kernel = 15;
};

class ConformerBlock : public Module {
 public:
  void build(ConformerDesign& design, Init& init) {
    TransformerDesign& shared = design.transformer;
    const int64_t width = shared.width;
    dropout_ = shared.dropout;
    for (FeedForward* half : {&first_, &second_}) {
      apply(*half, config_of(shared.feed_forward));
      half->build(width, init);
    }
    shared.shape_self(self_);
    self_.build({width, width, width}, init);
    enter_.build(width, 2 * width, init);
    depthwise_.build_over_rows(width, width, {.kernel = design.kernel, .is_depthwise = true}, init);
    leave_.build(width, width, init);
    for (std::unique_ptr<Norm>& norm : norms_) {
      norm = shared.built_norm(init);
    }
  }
  void describe(Describer& d) override {
    d.built("first_feed_forward", first_);
    d.built("self", self_);
    d.built("convolution.enter", enter_);
    d.built("convolution.depthwise", depthwise_);
    d.built("convolution.leave", leave_);
    d.built("second_feed_forward", second_);
    constexpr std::array names = {"first_norm",       "self_norm",   "convolution_norm",
                                  "convolution.norm", "second_norm", "final_norm"};
    for (size_t i = 0; i < norms_.size(); ++i) {
      if (norms_[i]) {
        d.built(names[i], *norms_[i]);
      }
    }
  }

  /// rows [N, D] → [N, D]
  Tensor operator()(const Tensor& x, const Geometry& geometry, const Layout& layout,
                    Pass& pass) const {
    Tensor y = x + drop(first_((*norms_[0])(x), pass), dropout_, pass) * 0.5;
    const Tensor rows = (*norms_[1])(y);
    const Memory memory = self_.remember(rows, layout);
    y = y +
        drop(attend_within(self_, {rows, geometry, memory, {}, {}}, pass).context, dropout_, pass);
    y = y + drop(convolved((*norms_[2])(y), layout, pass), dropout_, pass);
    y = y + drop(second_((*norms_[4])(y), pass), dropout_, pass) * 0.5;
    return (*norms_[5])(y);
  }
  const Attention& self() const { return self_; }

 private:
  Tensor convolved(const Tensor& x, const Layout& layout, const Pass& pass) const {
    const Tensor gated = glu(enter_(x, pass));
    return leave_(silu((*norms_[3])(depthwise_.over_rows(gated, layout, pass).rows)), pass);
  }

  FeedForward first_;
  Attention self_;
  Linear enter_;
  Convolution depthwise_;
  Linear leave_;
  FeedForward second_;
  std::array<std::unique_ptr<Norm>, 6> norms_;  // in the order of `describe`
  double dropout_ = 0;
};

class ConformerEncoder : public Encoder {
 public:
  void describe(Describer& d) override {
    design_.describe(d);
    if (has_input_) {
      d.built("input", input_);
    }
    if (positions_) {
      d.built("positions", *positions_);
    }
    d.children("block", blocks_);
  }

  void build(int64_t input, Init& init) override {
    require(design_.kernel % 2 == 1, "conformer: the kernel has {} rows; choose an odd number",
            design_.kernel);
    has_input_ = input != width();
    if (has_input_) {
      input_.build(input, width(), init);
    }
    positions_ = design_.transformer.built_positions(init);
    for (int64_t i = 0; i < blocks(); ++i) {
      blocks_.push_back(std::make_unique<ConformerBlock>());
      blocks_.back()->build(design_, init);
    }
  }

  Encoded operator()(const Tensor& rows, const Layout& layout, Pass& pass) const override {
    const Tensor fitted = has_input_ ? input_(rows) : rows;
    Tensor x = drop((*positions_)(fitted, positions_of(layout)), design_.transformer.dropout, pass);
    const Geometry geometry(
        {.queries = layout, .memory_lengths = layout.lengths(), .place = rows.place()});
    Encoded out{layout, {}, {}};
    for (const auto& block : blocks_) {
      x = (*block)(x, geometry, layout, pass);
      out.blocks.push_back(x);
    }
    out.summary = mean_of_rows(out.blocks.back(), layout);
    return out;
  }

  int64_t width() const override { return design_.transformer.width; }
  int64_t blocks() const override { return design_.transformer.depth; }
  int64_t longest_source() const override {
    return std::min(positions_->positions(), blocks_.front()->self().most_slots());
  }

 private:
  ConformerDesign design_;
  bool has_input_ = false;
  Linear input_;
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<ConformerBlock>> blocks_;
};

}  // namespace

std::unique_ptr<Encoder> conformer_encoder() { return std::make_unique<ConformerEncoder>(); }

}  // namespace heed
