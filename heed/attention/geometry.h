// Which query rows attend to which memory, their positions, and the number of slots.
//
// Query sequences (rows plus start and length) are laid out as a grid [M, R]: R rows for each of M
// memories. Several query sequences over one memory (beams) become extra rows of that memory, so
// keys and values are never multiplied by the beam.
//
// A decoder's step has one row for each hypothesis. From step to step the memory of a row stays the
// same, and only the positions change: `at` replaces them and shares everything else, so that a
// step uploads nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/made_once.h"
#include "heed/attention/where.h"
#include "heed/nn/relative_buckets.h"
#include "heed/tensor/layout.h"

namespace heed {

class Geometry {
 public:
  Geometry() = default;

  struct Asked {
    const Layout& queries;
    std::span<const int32_t> memory_lengths;  // slots of each memory
    std::span<const int32_t> memory_of =
        {};  // of each query sequence; empty: the one with the same number
    std::span<const int32_t> first_position = {};  // of each query sequence; empty: 0
    Place place;
  };
  explicit Geometry(const Asked& asked);
  /// Each row has its own memory, which is a cache: row q has position[q] (i32 [Q]) and sees the
  /// slots up to its own.
  static Geometry over_caches(const Tensor& position, const Place& place);
  /// The same rows at other positions, position[q] + further (i32 [Q]); only if every sequence has
  /// one row.
  Geometry at(const Tensor& position, int64_t further = 0) const;

  int64_t memories() const { return memories_; }
  /// The number of query rows, N.
  int64_t rows() const { return count_; }
  const Layout& queries() const { return fixed_->queries; }
  const std::vector<int32_t>& memory_lengths() const { return fixed_->memory_lengths; }
  const std::vector<int32_t>& memory_of() const { return fixed_->memory_of; }
  const std::vector<int32_t>& first_position() const { return fixed_->first_position; }

  /// The position i of each grid row, [M, 1, 1, R]; −1 where there is no row.
  const Tensor& position() const;
  /// The number of slots of the row's memory, [M, 1, 1, R]; 0 where there is no row.
  const Tensor& slots() const;
  /// 0, [1, 1, 1, 1]: every memory's first slot.
  const Tensor& first_slot() const;
  /// Whether no memory has a slot after the row's own.
  bool ends_with_rows() const { return is_over_caches_; }

  /// [N, …] → [M, R, …]; missing rows are zero.
  Tensor to_grid(const Tensor& rows) const;
  /// [M, R, …] → [N, …]
  Tensor to_rows(const Tensor& grid) const;
  /// Whether no sequence has more than one row.
  bool is_single_step() const { return is_single_step_; }
  /// Whether sequence q is row q, for every q.
  bool has_one_row_each() const { return has_one_row_each_; }

  /// The slots of a query's distances, of one kind.
  struct BucketKey {
    RelativeBuckets how;
    int64_t slots;
    bool operator==(const BucketKey&) const = default;
  };
  /// What is computed once for this geometry and shared by all blocks that read it.
  struct Shared {
    MadeOnce<BucketKey, Tensor> bucket_index;  // relative_bucket_index
    MadeOnce<std::string, Where> where;        // of focuses, by their joined `geometric_key`
    // What a step may never ask for:
    Tensor position;
    Tensor slots;
    Tensor first_slot;
  };
  Shared& shared() const { return *shared_; }

 private:
  /// What does not change while a decoder steps.
  struct Fixed {
    Layout queries;
    std::vector<int32_t> memory_lengths;
    std::vector<int32_t> memory_of;
    std::vector<int32_t> first_position;
    Tensor row_of_cell;  // i32 [M·R]; undefined where rows fill the grid in order
    Tensor cell_of_row;  // i32 [N]
    Tensor first_slot;
  };
  void lay_out(Fixed& fixed, const Place& place);
  Tensor counted_position() const;

  std::shared_ptr<const Fixed> fixed_ = std::make_shared<Fixed>();
  int64_t memories_ = 0;
  int64_t rows_ = 0;   // R
  int64_t count_ = 0;  // N
  bool is_single_step_ = false;
  bool has_one_row_each_ = false;
  bool is_over_caches_ = false;
  Tensor number_;  // i32 [Q]: positions as a step counts them, without `further_`; else undefined
  int64_t further_ = 0;
  Place place_;      // of what is made of them
  Tensor position_;  // undefined where it is made of `number_`
  Tensor slots_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// Of queries of one row or none: the sequence of each row, and the row of each sequence; −1: none.
std::vector<int32_t> sequence_of_row(const Layout& queries);
std::vector<int32_t> row_of_sequence(const Layout& queries);

}  // namespace heed
