// The catalogue of averages. To add one: its file in average/, and its line in averages.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/average.h"

namespace heed {

const Catalogue<Average>& averages();

}  // namespace heed
