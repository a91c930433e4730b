// Where fused attention meets its scores. A score is a policy, made for one head of one memory and
// used by one thread; the driver decides blocks, normalises and mixes, the policy knows only pairs:
//
//   Policy(const AttendScore& score, const HeadOf& at);
//   double scale() const;              // e_ij = scale · what `scores` gives; the driver multiplies
//   void prepare(const Block& all);    // once: every row and slot that will be asked for
//   void scores(const Block& b, TileRows e) const;
//     e[r][s] ← score(q_{row+r}, k_{slot+s}), r < rows, s < slots; writes nothing else
//   void gradients(const Block& b, TileRows de, const HeadGradients& to) const;
//     for the gradients de[r][s] of what `scores` gave: to.dquery[row+r] += …, to.dkeys[slot+s] += …,
//     to.dv += …, each where it is wanted
//
// Blocks have up to 64 rows and up to 128 slots, either may be
// 1; any begin at any row and slot. Blocks outside the focus are never asked for. The order of sums
// inside a block is the policy's own and a function of the block and the widths only, so that bits
// do not depend on threads; scores of one pair have the same bits in both passes where the blocks
// have.
#pragma once

#include <cstdint>

#include "heed/device/kernel/attend.h"

namespace heed::cpu {

/// Rows of floats, dense inside, `stride` apart; without data they are not there.
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

/// m, g and p of the views of AttendScore.
struct HeadOf {
  int64_t memory = 0;
  int64_t group = 0;
  int64_t head = 0;
};

/// Where the gradients of one head go; row 0 and slot 0 are the head's first. Each wanted or not.
struct HeadGradients {
  TileRows dquery;      // A wide
  TileRows dkeys;       // A wide
  float* dv = nullptr;  // [A]
};

}  // namespace heed::cpu
