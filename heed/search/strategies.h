// The catalogue of strategies: the one list. To add one: its file in strategy/, and its line in
// strategies.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/search/strategy.h"

namespace heed {

std::unique_ptr<Strategy> beam_strategy();
std::unique_ptr<Strategy> sample_strategy();
std::unique_ptr<Strategy> diverse_strategy();
std::unique_ptr<Strategy> constrained_strategy();

const Catalogue<Strategy>& strategies();

}  // namespace heed
