// The state of a decoder between steps.
//
// Everything that changes is in tensors: the position of each hypothesis, its sentence, its caches
// and cells. The host keeps only what it needs to allocate: the number of hypotheses and the length
// of the longest. So a step, and a reordering within the sentences, uploads and downloads nothing.
// The host names the rows that continue only when the number of hypotheses changes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/attention/cache.h"
#include "heed/model/remembered.h"
#include "heed/nn/row_positions.h"

namespace heed {

class State {
 public:
  State() = default;
  /// One hypothesis at position 0 for each entry of `memory_of`, which names its sentence.
  State(std::shared_ptr<const Remembered> memory, std::span<const int32_t> memory_of,
        const Place& place);

  int64_t hypotheses() const { return position_.size(0); }
  const Remembered& memory() const { return *memory_; }
  /// The sentence of each hypothesis, i32 [Q].
  const Tensor& memory_of() const { return memory_of_; }
  /// The number of words fed to each hypothesis so far, i32 [Q].
  RowPositions position() const { return {counted(), words() + 1}; }
  /// The rows of this step over the memories of their sentences.
  Geometry across() const { return across_.at(position_, further_); }
  /// The rows of this step over their own caches, this step's slot included.
  Geometry within() const { return Geometry::over_caches(counted(), place_); }
  /// Counts one more word fed to every hypothesis.
  void advance();

  /// Hypothesis q continues parent[q] (i32 [Q]), a hypothesis of the same sentence.
  void reorder(const Tensor& parent);
  /// Hypothesis q continues rows[q], of any sentence; the number of hypotheses may change.
  void select(std::span<const int32_t> rows);
  /// Gives it memory of its own with room for this many sources, of which those of `kept` are the
  /// first, in this order. They must include those of all hypotheses.
  void arrange_sources(std::span<const int32_t> kept, int64_t sources);
  /// Adds the hypotheses of `other`, a state of the same decoder before its first step. Its sources
  /// become those that `at` names, which no hypothesis here may have. Only what is new is written, unless
  /// a source has more slots than there is room for. If memory runs out, this state is as it was.
  void join(const State& other, std::span<const int32_t> at);
  /// Bytes of the caches: held now, with the rooms they lie in, and for one slot of one hypothesis.
  struct CacheBytes {
    int64_t held = 0;
    int64_t of_slot = 0;
  };
  CacheBytes cache_bytes() const;
  /// Copies the caches, which copies of a state share and which a step writes to.
  void separate();

  std::vector<Tensor>
      carried;  // [Q, …] each: cells, fed-back states, past weights; undefined before
                // the first step
  std::vector<Memory> caches;  // self-attention, one a block, a memory for each hypothesis

 private:
  void move_rows(const Tensor& parent);
  void look_across(std::span<const int32_t> memory_of);
  int64_t words() const;
  const Tensor& counted() const;

  std::shared_ptr<const Remembered> memory_;
  std::shared_ptr<Remembered> own_memory_;  // the same if it has room for more; else null
  Place place_;
  Tensor memory_of_;
  mutable Tensor position_;       // i32 [Q], without the last `further_` words
  mutable int64_t further_ = 0;   // counted when somebody asks, which a taught decoder never does
  std::vector<int32_t> fed_;      // the position of each hypothesis, on the host
  std::vector<CacheRoom> rooms_;  // which the caches lie in, with rows to spare
  Geometry across_;
};

}  // namespace heed
