// Transformer blocks over the frames of a source: every frame sees all others and the source, all at
// once, so that words may come in another order than what they stand for (Libovický and Helcl 2018).
//
//   x = dropout(frames + positions)        h = norm(blocks(x, memory))
//
// There may be none.
#pragma once

#include <memory>
#include <vector>

#include "heed/model/encoder.h"
#include "heed/model/remembered.h"
#include "heed/model/transformer_block.h"

namespace heed {

class FrameBlocks : public Module {
 public:
  FrameBlocks();
  void describe(Describer& d) override;
  void build(int64_t memory_width, Init& init);

  int64_t depth() const { return design_.depth; }
  int64_t width() const { return design_.width; }
  /// The most frames, and the most slots, that they can see.
  int64_t most_frames() const;
  int64_t most_slots() const;

  /// What each block remembers of the source.
  std::vector<Memory> remember(const Encoded& encoded) const;
  /// rows [N, width] of `frames` → [N, width]; `reports` gets where the frames of each block look.
  Tensor operator()(const Tensor& rows, const Layout& frames, const Remembered& memory,
                    const Report& report, std::vector<Attended>& reports, Pass& pass) const;

 private:
  TransformerDesign design_{true, false};
  std::unique_ptr<PositionCode> positions_;
  std::vector<std::unique_ptr<TransformerBlock>> blocks_;
  std::unique_ptr<Norm> final_norm_;
};

}  // namespace heed
