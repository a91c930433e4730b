#include "heed/nn/row_positions.h"

#include <algorithm>
#include <vector>

namespace heed {

RowPositions positions_of(const Layout& layout, std::span<const int32_t> first) {
  require(first.empty() || static_cast<int64_t>(first.size()) == layout.count(),
          "positions: saw first positions of {} sequences, needs the layout's {}", first.size(),
          layout.count());
  std::vector<int32_t> number(static_cast<size_t>(layout.rows()), 0);
  int64_t bound = 0;
  for (size_t b = 0; b < layout.lengths().size(); ++b) {
    const int32_t begin = first.empty() ? 0 : first[b];
    require(begin >= 0, "positions: saw first position {}, needs 0 or more", begin);
    for (int32_t t = 0; t < layout.lengths()[b]; ++t) {
      number[layout.starts()[b] + t] = begin + t;
    }
    bound = std::max(bound, int64_t{begin} + layout.lengths()[b]);
  }
  const Place place{&layout.length_tensor().backend(), DType::i32};
  return {Tensor::of(number, {layout.rows()}, place), bound};
}

}  // namespace heed
