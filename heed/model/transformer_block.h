// One Transformer block (Vaswani 2017): self-attention, in decoders cross-attention, feed-forward,
// each with a residual connection and a norm before it ("pre": x + f(norm(x))) or after it ("post":
// norm(x + f(x))).
//
// TransformerDesign holds the settings that all blocks of a stack share; its parts are prototypes,
// which blocks copy.
#pragma once

#include <memory>
#include <string>

#include "heed/attention/attend.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norms.h"
#include "heed/nn/positions.h"
#include "heed/nn/residual_rows.h"

namespace heed {

/// Where the norm is: before or after each residual branch.
enum class Placement { pre, post };

struct TransformerDesign {
  /// A decoder attends to the source; a causal one may not look ahead.
  TransformerDesign(bool is_decoder, bool is_causal);

  void describe(Describer& d);
  /// The same where there may be no blocks at all: if there are none, nothing else is to set.
  void describe_optional(Describer& d);
  std::unique_ptr<Norm> built_norm(Init& init) const;
  /// The code that is added to the rows; null if positions enter the scores.
  std::unique_ptr<PositionCode> built_positions(Init& init) const;
  /// The self-attention of a block, its positions included.
  void shape_self(Attention& attention);

  bool is_decoder;
  bool is_causal;
  int64_t width = 128;
  int64_t depth = 2;
  Placement placement = Placement::pre;
  std::unique_ptr<PositionCode> position;  // a prototype
  double dropout = 0;
  Attention self;
  Attention cross;
  FeedForward feed_forward;
  std::unique_ptr<Norm> norm;

 private:
  void describe_blocks(Describer& d);
};

/// What a block sees in addition to its rows.
struct BlockView {
  const Geometry& self_geometry;
  const Layout* layout = nullptr;            // teaching: the rows are the memory
  Memory* cache = nullptr;                   // serving: the rows are written to it first,
  const RowPositions* position = nullptr;    // each at its position
  Tensor* self_past = nullptr;               // serving, if some part reads the past
  const Geometry* cross_geometry = nullptr;  // decoders
  const Memory* cross_memory = nullptr;
  Tensor* cross_past = nullptr;
  Report report = {};
};

class TransformerBlock : public Module {
 public:
  /// `memory_width` is the width of the memory that a decoder attends to; 0 if there is none.
  void build(TransformerDesign& design, int64_t memory_width, Init& init);
  void describe(Describer& d) override;

  /// Changes rows [N, D]; `reported` gets the reports of cross-attention.
  void operator()(ResidualRows& x, const BlockView& view, Attended& reported, Pass& pass) const;

  const Attention& self() const { return self_; }
  const Attention& cross() const { return cross_; }

 private:
  Tensor before(ResidualRows& x, const Norm& norm) const {
    return is_pre_ ? x.normed(norm) : x.rows();
  }
  void after(ResidualRows& x, const Tensor& branch, const Norm& norm, Pass& pass) const;
  Tensor look_within(const Tensor& rows, const BlockView& view, Pass& pass) const;
  Tensor look_across(const Tensor& rows, const BlockView& view, Attended& reported,
                     Pass& pass) const;

  Attention self_;
  Attention cross_;
  FeedForward feed_forward_;
  std::unique_ptr<Norm> self_norm_;
  std::unique_ptr<Norm> cross_norm_;
  std::unique_ptr<Norm> feed_forward_norm_;
  bool is_pre_ = true;
  double dropout_ = 0;
};

}  // namespace heed
