// The catalogue of averages. To add one: its file in average/, and its line in averages.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/average.h"

namespace heed {

std::unique_ptr<Average> no_average();
std::unique_ptr<Average> ema();
std::unique_ptr<Average> last_average();

const Catalogue<Average>& averages();

}  // namespace heed
