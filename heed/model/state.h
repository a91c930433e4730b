// What a decoder carries from step to step.
//
// All that moves is in tensors: the position of each hypothesis, the sentence it belongs to, its caches
// and cells. The host keeps bounds only, because it allocates by them: how many hypotheses there are,
// and how many words the longest has. So a step, and a reordering within the sentences, uploads and
// downloads nothing. Only when the number of hypotheses changes does the host say which rows go on.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/model/remembered.h"
#include "heed/nn/row_positions.h"

namespace heed {

class State {
 public:
  State() = default;
  /// One hypothesis at position 0 for each entry of `memory_of`, the sentence it belongs to.
  State(std::shared_ptr<const Remembered> memory, std::span<const int32_t> memory_of,
        const Place& place);

  int64_t hypotheses() const { return position_.size(0); }
  const Remembered& memory() const { return *memory_; }
  /// The sentence of each hypothesis, i32 [Q].
  const Tensor& memory_of() const { return memory_of_; }
  /// Words fed to each hypothesis so far, i32 [Q].
  RowPositions position() const { return {position_, words_ + 1}; }
  /// The rows of this step over the memories of their sentences.
  Geometry across() const { return across_.at(position_); }
  /// The rows of this step over their own caches, this step's slot included.
  Geometry within() const { return Geometry::over_caches(position_, place_); }
  /// Every hypothesis has been fed one more word.
  void advance();

  /// Hypothesis q goes on from parent[q] (i32 [Q]), a hypothesis of the same sentence.
  void reorder(const Tensor& parent);
  /// Hypothesis q goes on from rows[q], whichever sentence that belongs to; their number may change.
  void select(std::span<const int32_t> rows);
  /// Hypotheses of `other`, a state of the same decoder that has not begun, follow behind these, and its
  /// sources behind `sources` of this state, which every hypothesis here belongs to one of.
  void join(State other, std::span<const int32_t> sources);

  std::vector<Tensor>
      carried;  // [Q, …] each: cells, fed-back states, past weights; undefined before
                // the first step
  std::vector<Memory> caches;  // self-attention, one a block, a memory for each hypothesis

 private:
  void move_rows(const Tensor& parent);
  void look_across(std::span<const int32_t> memory_of);

  std::shared_ptr<const Remembered> memory_;
  Place place_;
  Tensor memory_of_;
  Tensor position_;
  int64_t words_ = 0;  // no position is above it
  Geometry across_;
};

}  // namespace heed
