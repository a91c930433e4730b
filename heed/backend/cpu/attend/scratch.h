// Memory of this thread that lives on from call to call, so that a steady step allocates nothing.
// One piece for each use; it grows, and what it held is lost when it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::cpu {

enum class Scratch : uint8_t {
  scores,
  slopes,
  keys,
  keys_transposed,
  values,
  values_transposed,
  query,
  query_panels,
  dcontext,
  dcontext_panels,
  slivers,
  spare,
  factors,
  partial_sums,
  last
};

inline float* scratch(Scratch use, int64_t floats) {
  thread_local std::array<std::vector<float>, static_cast<size_t>(Scratch::last)> pieces;
  std::vector<float>& piece = pieces[static_cast<size_t>(use)];
  if (piece.size() < static_cast<size_t>(floats)) {
    piece.clear();
    piece.resize(static_cast<size_t>(floats));
  }
  return piece.data();
}

}  // namespace heed::cpu
