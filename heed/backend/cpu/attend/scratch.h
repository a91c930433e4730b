// This thread's scratch memory, one block for each use.
#pragma once

#include "heed/backend/cpu/scratch_buffer.h"

namespace heed::cpu {

enum class Scratch : uint8_t {
  scores,
  gradients,
  keys,
  keys_transposed,
  values,
  values_transposed,
  query,
  query_panels,
  dcontext,
  dcontext_panels,
  slivers,
  contexts,
  spare,
  factors,
  partial_sums,
  last
};

inline float* scratch(Scratch use, int64_t floats) {
  thread_local std::array<ScratchBuffer, static_cast<size_t>(Scratch::last)> buffers;
  return buffers[static_cast<size_t>(use)].of<float>(floats);
}

}  // namespace heed::cpu
