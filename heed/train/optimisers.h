// The catalogue of optimisers. To add one: its file in optimiser/, and its line in optimisers.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/optimiser.h"

namespace heed {

std::unique_ptr<Optimiser> adam();
std::unique_ptr<Optimiser> adamw();
std::unique_ptr<Optimiser> adafactor();
std::unique_ptr<Optimiser> sgd();

const Catalogue<Optimiser>& optimisers();

}  // namespace heed
