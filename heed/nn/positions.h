// The position codes there are. To add one: its file under position/, and its line in
// positions.cpp. Positions that enter scores instead are in rotary.h, alibi.h, relative_buckets.h.
#pragma once

#include <memory>

#include "heed/nn/position.h"

namespace heed {

const Catalogue<PositionCode>& positions();

std::unique_ptr<PositionCode> sinusoidal_positions();
std::unique_ptr<PositionCode> learned_positions();
std::unique_ptr<PositionCode> no_positions();

}  // namespace heed
