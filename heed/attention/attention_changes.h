// What if a model looked elsewhere. In a pass with changes, rows of attention have
//
//   closed   slots whose scores are −∞ before they are normalised; a row of closed slots sees nothing
//   given    weights that take the place of α, whatever the scores are
//
// The rows and heads that are named are composed from the operator's definition. All others are what
// the backend's kernel computes, to the last bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/geometry.h"

namespace heed {

class Pass;

struct AttentionChange {
  bool is_within = false;  // self-attention; false: attention to the source
  int64_t block = 0;
  int64_t head = -1;  // −1: every head
  int64_t row = 0;    // of the pass
  std::vector<int32_t> closed = {};
  std::vector<float> given = {};  // for the first slots, those behind get 0; empty: none is given
};

/// As long as it lives, attention in this pass has these changes. The calls of each of the two kinds
/// are counted, the first is that of block 0; so one lives as long as a decoder's step.
class AttentionChanges {
 public:
  AttentionChanges(Pass& pass, std::vector<AttentionChange> all);
  ~AttentionChanges();
  AttentionChanges(const AttentionChanges&) = delete;
  AttentionChanges& operator=(const AttentionChanges&) = delete;

  /// Those of the next call of this kind.
  std::vector<AttentionChange> next(bool is_within);

 private:
  Pass& pass_;
  AttentionChanges* before_;
  std::vector<AttentionChange> all_;
  std::array<int64_t, 2> called_{};
};

/// Changes of one call as tensors like its scores: 1 where they hold, and the weights that are given.
struct ChangedGrid {
  ChangedGrid(std::span<const AttentionChange> changes, const Geometry& geometry,
              const Shape& scores, const Place& place);

  Tensor closed;    // [M, G, P, R, S]
  Tensor given;     // [M, G, P, R, S]
  Tensor is_given;  // [M, G, P, R, 1]
  Tensor touched;   // [M, G, P, R, 1]
};

}  // namespace heed
