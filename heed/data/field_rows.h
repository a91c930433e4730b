// The rows of some items together: made on the host, where several threads may do it, and uploaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/host_array.h"
#include "heed/tensor/layout.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// The bytes that a corpus keeps of one side of an example.
using Item = std::vector<std::byte>;
using ItemView = std::span<const std::byte>;

struct FieldRows {
  Tensor values;  // i32 [N] of ids, [N, width] of numbers, or u8 [N, 3] of pixels
  Layout layout;
  /// The values on the host; null where they did not come from there.
  std::shared_ptr<const HostArray> host = {};

  /// The ids of sequence b, as the host has them.
  std::span<const TokenId> ids_of(size_t b) const;
};

/// The same before it is uploaded.
struct HostRows {
  HostArray values;  // not defined if there is nothing on this side
  std::vector<int32_t> lengths;
  std::vector<GridExtent> grids = {};

  FieldRows uploaded(const Place& place) &&;
};

/// Items of f32 numbers, `width` in a row.
HostRows rows_of_numbers(std::span<const Item> items, int64_t width, const Place& place);

}  // namespace heed
