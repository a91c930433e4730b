#include "heed/backend/cpu/gemm/weave.h"

#include <array>

#include "heed/backend/cpu/scratch_buffer.h"

namespace heed::cpu {
namespace {

template <class Group>
void weave_groups(const void* from, int64_t width, int64_t groups, void* to) {
  const auto* rows = static_cast<const Group*>(from);
  auto* at = static_cast<Group*>(to);
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t r = 0; r < width; ++r) {
      *at++ = rows[r * groups + g];
    }
  }
}

}  // namespace

void weave(const void* from, const Slice& slice, int64_t element_bytes, void* to) {
  const int64_t groups = slice.padded / slice.depth;
  switch (slice.depth * element_bytes) {
    case 1:
      return weave_groups<uint8_t>(from, slice.width, groups, to);
    case 2:
      return weave_groups<uint16_t>(from, slice.width, groups, to);
    case 4:
      return weave_groups<uint32_t>(from, slice.width, groups, to);
    case 64:
      return weave_groups<std::array<char, 64>>(from, slice.width, groups, to);
    default:
      return weave_groups<uint64_t>(from, slice.width, groups, to);
  }
}

void* rows_to_weave(int64_t bytes) {
  thread_local ScratchBuffer buffer;
  return buffer.of<std::byte>(bytes);
}

}  // namespace heed::cpu
