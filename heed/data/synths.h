// The catalogue of made-up tasks. To add one: a file in synth/, a line here and one in synths.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/data/synth.h"

namespace heed {

const Catalogue<Synth>& synths();

}  // namespace heed
