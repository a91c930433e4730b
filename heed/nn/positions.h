// The catalogue of position codes. To add one: its file under position/, and its line in
// positions.cpp. The formulas of those that enter scores are in rotary.h, alibi.h and
// relative_buckets.h.
#pragma once

#include <memory>

#include "heed/nn/position.h"

namespace heed {

const Catalogue<PositionCode>& positions();

std::unique_ptr<PositionCode> sinusoidal_positions();
std::unique_ptr<PositionCode> learned_positions();
std::unique_ptr<PositionCode> no_positions();
std::unique_ptr<PositionCode> rotary_positions();
std::unique_ptr<PositionCode> alibi_positions();
std::unique_ptr<PositionCode> relative_positions();

}  // namespace heed
