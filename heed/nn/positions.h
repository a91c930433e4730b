// The catalogue of position codes. To add one: its file under position/, and its line in
// positions.cpp. The formulas of those that enter scores are in rotary.h, alibi.h and
// relative_buckets.h.
#pragma once

#include <memory>

#include "heed/nn/position.h"

namespace heed {

const Catalogue<PositionCode>& positions();

}  // namespace heed
