#include "heed/model/grid/grids_of_pictures.h"

#include <algorithm>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/concat.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"

namespace heed {
namespace {

constexpr int64_t channels = 3;
/// The number of pixels that are run at a time, or one picture if that has more: ten pictures of
/// 224 × 224.
constexpr int64_t pixels_of_a_part = int64_t{1} << 19;

void check(const FieldRows& source) {
  require(source.values.rank() == 2 && source.values.size(1) == channels,
          "front: the rows {} are no pixels [N, 3]; choose a front that reads this field",
          source.values.shape());
  const Layout& layout = source.layout;
  require(layout.grids().size() == static_cast<size_t>(layout.count()),
          "front: saw rows without height and width, needs pictures");
  int64_t next = 0;
  for (int64_t b = 0; b < layout.count(); ++b) {
    const auto at = static_cast<size_t>(b);
    require(layout.starts()[at] == next && layout.lengths()[at] > 0,
            "front: saw a picture of {} pixels at row {}, needs pictures one behind the other",
            layout.lengths()[at], layout.starts()[at]);
    next += layout.lengths()[at];
  }
}

/// How many pictures from `first` on have its size and run together.
int64_t alike(const Layout& layout, int64_t first) {
  const std::vector<GridExtent>& grids = layout.grids();
  const GridExtent extent = grids[static_cast<size_t>(first)];
  const int64_t pixels = layout.lengths()[static_cast<size_t>(first)];
  const int64_t most = std::max<int64_t>(1, pixels_of_a_part / pixels);
  int64_t count = 1;
  while (count < most && first + count < layout.count() &&
         grids[static_cast<size_t>(first + count)] == extent) {
    ++count;
  }
  return count;
}

}  // namespace

FieldRows grids_of_pictures(const FieldRows& source, const Place& place, const OverPictures& run) {
  check(source);
  const Layout& layout = source.layout;
  std::vector<Tensor> parts;
  std::vector<int32_t> lengths;
  std::vector<GridExtent> extents;
  for (int64_t first = 0; first < layout.count();) {
    const int64_t count = alike(layout, first);
    const GridExtent extent = layout.grids()[static_cast<size_t>(first)];
    const int64_t pixels = extent.height * extent.width;
    const Tensor rows =
        slice(source.values, 0, layout.starts()[static_cast<size_t>(first)], count * pixels);
    const Tensor x = reshape(affine(cast(rows, place.dtype), 1 / 127.5, -1),
                             {count, extent.height, extent.width, channels});
    const Tensor y = run(x);
    parts.push_back(reshape(y, {y.size(0) * y.size(1) * y.size(2), y.size(3)}));
    const GridExtent grid{static_cast<int32_t>(y.size(1)), static_cast<int32_t>(y.size(2))};
    lengths.insert(lengths.end(), static_cast<size_t>(count), grid.height * grid.width);
    extents.insert(extents.end(), static_cast<size_t>(count), grid);
    first += count;
  }
  require(!parts.empty(), "front: saw no picture, needs one");
  return {parts.size() == 1 ? parts.front() : concat(parts, 0),
          Layout::packed(lengths, place).with_grids(std::move(extents))};
}

}  // namespace heed
