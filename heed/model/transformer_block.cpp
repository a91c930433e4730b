#include "heed/model/transformer_block.h"

#include "heed/attention/attend_within.h"
#include "heed/attention/focuses.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/config/limits.h"
#include "heed/nn/drop.h"
#include "heed/ops/arithmetic.h"

namespace heed {
namespace {

/// Gives an unbuilt module the settings of a prototype of the same kind.
void copy_settings(Module& from, Module& to) { apply(to, config_of(from)); }

}  // namespace

TransformerDesign::TransformerDesign(bool decodes, bool looks_back_only)
    : is_decoder(decodes),
      is_causal(looks_back_only),
      position(make_part(positions(), "sinusoidal")),
      norm(make_part(norms(), "layer_norm")) {
  for (Attention* attention : {&self, &cross}) {
    attention->choose_score("scaled_dot");
    attention->choose_heads(4, 0, true);
  }
  if (is_causal) {
    self.choose_focus({"causal"});
  }
}

void TransformerDesign::describe(Describer& d) {
  d.setting("width", width, {.help = "channels of every block", .least = 1, .most = most_width});
  d.setting("depth", depth, {.help = "blocks", .least = 1, .most = 256});
  describe_blocks(d);
}

void TransformerDesign::describe_optional(Describer& d) {
  d.setting("depth", depth,
            {.help = "blocks; 0: none, and nothing else to set", .least = 0, .most = 256});
  if (depth > 0) {
    d.setting("width", width, {.help = "channels of every block", .least = 1, .most = most_width});
    describe_blocks(d);
  }
}

void TransformerDesign::describe_blocks(Describer& d) {
  d.setting("placement", placement, {{"pre", Placement::pre}, {"post", Placement::post}},
            {"norm before or after each residual branch"});
  d.part("position", position, positions(), {"how positions are encoded"});
  d.setting(
      "dropout", dropout,
      {.help = "dropout of each residual branch in training", .least = 0, .most = most_dropout});
  d.part("norm", norm, norms(), {"normalisation of activations"});
  d.child("self", self);
  if (is_decoder) {
    d.child("cross", cross);
  }
  d.child("feed_forward", feed_forward);
}

std::unique_ptr<Norm> TransformerDesign::built_norm(Init& init) const {
  std::unique_ptr<Norm> copy = make_part(norms(), norm->kind());
  copy_settings(*norm, *copy);
  copy->build(width, init);
  return copy;
}

std::unique_ptr<PositionCode> TransformerDesign::built_positions(Init& init) const {
  auto code = make_part(positions(), position->kind());
  copy_settings(*position, *code);
  code->build(width, init);
  return code;
}

void TransformerDesign::shape_self(Attention& attention) {
  copy_settings(self, attention);
  if (is_causal) {
    attention.make_causal();
  }
  switch (position->in_scores()) {
    case InScores::nothing:
      break;
    case InScores::rotary:
      attention.choose_rotary(true);
      break;
    case InScores::alibi:
      attention.add_focus(prior_shaped(PriorShape::alibi, !is_causal));
      break;
    case InScores::relative:
      attention.add_focus(prior_shaped(PriorShape::relative, !is_causal));
      break;
  }
}

void TransformerBlock::build(TransformerDesign& design, int64_t memory_width, Init& init) {
  is_pre_ = design.placement == Placement::pre;
  dropout_ = design.dropout;
  const int64_t width = design.width;
  design.shape_self(self_);
  self_.build({width, width, width}, init);
  self_norm_ = design.built_norm(init);
  if (design.is_decoder && memory_width > 0) {
    copy_settings(design.cross, cross_);
    cross_.build({width, memory_width, width}, init);
    cross_norm_ = design.built_norm(init);
    require(
        cross_.width() == width,
        "transformer: cross-attention of {} channels does not fit blocks of {}; set project = true",
        cross_.width(), width);
  }
  copy_settings(design.feed_forward, feed_forward_);
  feed_forward_.build(width, init);
  feed_forward_norm_ = design.built_norm(init);
}

void TransformerBlock::describe(Describer& d) {
  d.built("self", self_);
  if (self_norm_) {
    d.built("self_norm", *self_norm_);
  }
  if (cross_norm_) {
    d.built("cross", cross_);
    d.built("cross_norm", *cross_norm_);
  }
  d.built("feed_forward", feed_forward_);
  if (feed_forward_norm_) {
    d.built("feed_forward_norm", *feed_forward_norm_);
  }
}

void TransformerBlock::after(ResidualRows& x, const Tensor& branch, const Norm& norm,
                             Pass& pass) const {
  x.add(branch, dropout_, pass);
  if (!is_pre_) {
    x = ResidualRows(x.normed(norm));
  }
}

Tensor TransformerBlock::look_within(const Tensor& rows, const BlockView& view, Pass& pass) const {
  if (view.cache != nullptr) {
    Tensor query;
    self_.remember_more(*view.cache, rows, *view.position, pass, &query);
    const Attended seen = attend_within(
        self_, {rows, view.self_geometry, *view.cache, *view.self_past, {}, query}, pass);
    *view.self_past = seen.past;
    return seen.context;
  }
  const Memory memory = self_.remember(rows, *view.layout);
  return attend_within(self_, {rows, view.self_geometry, memory, {}, {}}, pass).context;
}

Tensor TransformerBlock::look_across(const Tensor& rows, const BlockView& view, Attended& reported,
                                     Pass& pass) const {
  const Tensor past = view.cross_past != nullptr ? *view.cross_past : Tensor();
  reported =
      attend(cross_, {rows, *view.cross_geometry, *view.cross_memory, past, view.report}, pass);
  if (view.cross_past != nullptr) {
    *view.cross_past = reported.past;
  }
  return reported.context;
}

void TransformerBlock::operator()(ResidualRows& x, const BlockView& view, Attended& reported,
                                  Pass& pass) const {
  after(x, look_within(before(x, *self_norm_), view, pass), *self_norm_, pass);
  if (cross_norm_) {
    const Tensor rows = before(x, *cross_norm_);
    after(x, look_across(rows, view, reported, pass), *cross_norm_, pass);
  }
  after(x, feed_forward_(before(x, *feed_forward_norm_), pass), *feed_forward_norm_, pass);
}

}  // namespace heed
