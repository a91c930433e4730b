// Which query rows look into which memory, where they stand and how many slots there are.
//
// Query sequences (rows plus start and length) are laid out as a grid [M, R]: R rows for each of M
// memories. Several query sequences over one memory (beams) become extra rows of that memory, so
// keys and values are never multiplied by the beam.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/layout.h"

namespace heed {

class Geometry {
 public:
  Geometry() = default;

  struct Asked {
    const Layout& queries;
    std::span<const int32_t> memory_lengths;  // slots of each memory
    std::span<const int32_t> memory_of =
        {};  // of each query sequence; empty: the one of the same number
    std::span<const int32_t> first_position = {};  // of each query sequence; empty: 0
    Place place;
  };
  explicit Geometry(const Asked& asked);

  int64_t memories() const { return memories_; }
  int64_t rows_per_memory() const { return rows_; }
  const Layout& queries() const { return queries_; }
  const std::vector<int32_t>& memory_lengths() const { return memory_lengths_; }
  const std::vector<int32_t>& memory_of() const { return memory_of_; }
  const std::vector<int32_t>& first_position() const { return first_position_; }

  /// i of each grid row, [M, 1, 1, R]; −1 where there is no row.
  const Tensor& position() const { return position_; }
  /// Slots of the row's memory, [M, 1, 1, R]; 0 where there is no row.
  const Tensor& slots() const { return slots_; }

  /// [N, …] → [M, R, …]; missing rows are zero.
  Tensor to_grid(const Tensor& rows) const;
  /// [M, R, …] → [N, …]
  Tensor to_rows(const Tensor& grid) const;
  /// Values per query sequence [Q, …] → one grid row each, [M, R, …]; only where every sequence has
  /// one row.
  bool is_single_step() const { return is_single_step_; }

 private:
  Layout queries_;
  std::vector<int32_t> memory_lengths_;
  std::vector<int32_t> memory_of_;
  std::vector<int32_t> first_position_;
  int64_t memories_ = 0;
  int64_t rows_ = 0;
  bool is_full_ = false;
  bool is_single_step_ = false;
  Tensor position_;
  Tensor slots_;
  Tensor row_of_cell_;  // i32 [M·R]
  Tensor cell_of_row_;  // i32 [N]
};

}  // namespace heed
