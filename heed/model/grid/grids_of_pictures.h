// Runs a network over the pictures of a batch. A field's rows are pixels, u8 [N, 3], with the height
// and width of every picture in their layout. Pictures of one size that follow each other are run
// together, some at a time, so that memory stays bounded; each result is a grid, whose cells are the
// rows that are returned.
#pragma once

#include <functional>

#include "heed/data/field.h"

namespace heed {

/// x [B, H, W, 3], pixels p as p / 127.5 − 1 → [B, H', W', C]
using OverPictures = std::function<Tensor(const Tensor& x)>;

/// Rows [cells, C] of `place`'s element type, with the height and width of every grid in their layout.
FieldRows grids_of_pictures(const FieldRows& source, const Place& place, const OverPictures& run);

}  // namespace heed
