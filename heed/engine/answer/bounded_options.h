// Limits by which no source and no translation is too long for the models.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "heed/engine/answer/answer.h"

namespace heed {

using TrainedModels = std::span<const TrainedModel* const>;

/// The number of rows of the longest source, and of words of the longest target, that all models
/// can take.
struct Longest {
  int64_t source = std::numeric_limits<int64_t>::max();
  int64_t target = std::numeric_limits<int64_t>::max();
};

Longest longest_of(TrainedModels models, const SearchOptions& options);

/// What was asked for, with limits by which no sentence is too long for the models: sources are cut
/// (pieces.h), and translations end at the limit.
TranslateOptions bounded_options(TrainedModels models, const TranslateOptions& asked);

}  // namespace heed
