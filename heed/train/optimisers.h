// The catalogue of optimisers. To add one: its file in optimiser/, and its line in optimisers.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/optimiser.h"

namespace heed {

const Catalogue<Optimiser>& optimisers();

}  // namespace heed
