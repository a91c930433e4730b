// Where words looked, as JSON.
#pragma once

#include <cstddef>
#include <vector>

#include "heed/base/json.h"
#include "heed/engine/answer/attention_maps.h"
#include "heed/engine/answer/reply.h"

namespace heed {

/// Sets "entropy", that of each row of weights in nats, and "top", the places of its k largest
/// weights with them: [[place, weight], …] for each row.
void set_spread(Json& object, const WeightMatrix& weights, std::size_t k);

/// {"of": "self", "rows": […], "columns": […], "blocks": [{"heads": [{"weights": [[…]], "entropy":
/// […], "top": […]}]}]}
Json written_maps(const AttentionMaps& maps, std::size_t k);

}  // namespace heed
