// The catalogue of strategies: the one list. To add one: its file in strategy/, and its line in
// strategies.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/search/strategy.h"

namespace heed {

const Catalogue<Strategy>& strategies();

}  // namespace heed
