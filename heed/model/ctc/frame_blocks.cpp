#include "heed/model/ctc/frame_blocks.h"

#include <algorithm>
#include <limits>

#include "heed/nn/drop.h"

namespace heed {

FrameBlocks::FrameBlocks() { design_.depth = 0; }

void FrameBlocks::describe(Describer& d) {
  design_.describe_optional(d);
  if (positions_) {
    d.built("positions", *positions_);
  }
  d.children("block", blocks_);
  if (final_norm_) {
    d.built("final_norm", *final_norm_);
  }
}

void FrameBlocks::build(int64_t memory_width, Init& init) {
  if (depth() == 0) {
    return;
  }
  positions_ = design_.built_positions(init);
  for (int64_t i = 0; i < design_.depth; ++i) {
    blocks_.push_back(std::make_unique<TransformerBlock>());
    blocks_.back()->build(design_, memory_width, init);
  }
  if (design_.placement == Placement::pre) {
    final_norm_ = design_.built_norm(init);
  }
}

int64_t FrameBlocks::most_frames() const {
  return blocks_.empty() ? std::numeric_limits<int64_t>::max()
                         : std::min(positions_->positions(), blocks_.front()->self().most_slots());
}

int64_t FrameBlocks::most_slots() const {
  return blocks_.empty() ? std::numeric_limits<int64_t>::max()
                         : blocks_.front()->cross().most_slots();
}

std::vector<Memory> FrameBlocks::remember(const Encoded& encoded) const {
  std::vector<Memory> layers;
  for (const auto& block : blocks_) {
    layers.push_back(block->cross().remember(encoded.blocks.back(), encoded.layout));
  }
  return layers;
}

Tensor FrameBlocks::operator()(const Tensor& rows, const Layout& frames, const Remembered& memory,
                               const Report& report, std::vector<Attended>& reports,
                               Pass& pass) const {
  if (blocks_.empty()) {
    return rows;
  }
  const Place place = rows.place();
  const Geometry within({.queries = frames, .memory_lengths = frames.lengths(), .place = place});
  const Geometry across({.queries = frames, .memory_lengths = memory.lengths, .place = place});
  ResidualRows x(drop((*positions_)(rows, positions_of(frames)), design_.dropout, pass));
  reports.resize(blocks_.size());
  for (size_t n = 0; n < blocks_.size(); ++n) {
    (*blocks_[n])(x,
                  {.self_geometry = within,
                   .layout = &frames,
                   .cross_geometry = &across,
                   .cross_memory = &memory.layers[n],
                   .report = report},
                  reports[n], pass);
  }
  return final_norm_ ? x.normed(*final_norm_) : x.rows();
}

}  // namespace heed
