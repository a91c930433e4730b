// The interface between fused attention and its scores. A score is a policy object for one head of
// one memory, used by one thread. The driver chooses blocks, normalises and mixes; the policy
// scores pairs:
//
//   Policy(const AttendScore& score, const HeadOf& at);
//   double scale() const;              // e_ij = scale · result of `scores`; the driver multiplies
//   void prepare(const Block& all);    // called once with all rows and slots that will be needed
//   void scores(const Block& b, TileRows e) const;
//     e[r][s] ← score(q_{row+r}, k_{slot+s}), r < rows, s < slots; writes nothing else
//   void gradients(const Block& b, TileRows de, const HeadGradients& to) const;
//     for the gradients de[r][s] of the results of `scores`: to.dquery[row+r] += …,
//     to.dkeys[slot+s] += …, to.dv += …, each if it is wanted
//
// Blocks have 1 to 64 rows and 1 to 128 slots and may begin at any row and slot. Blocks outside the
// focus are never needed. The policy chooses the order of sums inside a block; it depends on the
// block and the widths only, so that bits do not depend on threads. The scores of a pair have the
// same bits in both passes if the blocks are the same.
#pragma once

#include <cstdint>

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// Dense rows of floats, `stride` apart; null data means that there are none.
struct TileRows {
  float* data = nullptr;
  int64_t stride = 0;

  float* operator[](int64_t row) const { return data + row * stride; }
  TileRows from(int64_t row) const { return {data + row * stride, stride}; }
  explicit operator bool() const { return data != nullptr; }
};

/// Rows [row, row + rows) × slots [slot, slot + slots) of one head of one memory.
struct Block {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t slot = 0;
  int64_t slots = 0;
};

/// The indices m, g and p of a head in the views of AttendScore.
struct HeadOf {
  int64_t memory = 0;
  int64_t group = 0;
  int64_t head = 0;
};

/// Where the gradients of one head are added; row 0 and slot 0 are the head's first. Null: not
/// wanted.
struct HeadGradients {
  TileRows dquery;      // A wide
  TileRows dkeys;       // A wide
  float* dv = nullptr;  // [A]
};

}  // namespace heed::cpu
