// Grids of pictures where those that were computed before come from a cache.
#pragma once

#include "heed/data/feature_cache.h"
#include "heed/model/grid/grids_of_pictures.h"

namespace heed {

/// The same rows as grids_of_pictures gives, bit for bit, without a gradient. A picture that is not in
/// the cache goes through `run` once, however often it is in the batch. Pixels are u8, cells f32.
FieldRows cached_grids(const FieldRows& source, const Place& place, const OverPictures& run,
                       FeatureCache& cache);

}  // namespace heed
