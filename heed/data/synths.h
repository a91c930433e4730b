// The catalogue of made-up tasks. To add one: a file in synth/, a line here and one in synths.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/data/synth.h"

namespace heed {

std::unique_ptr<Synth> reverse();
std::unique_ptr<Synth> dates();
std::unique_ptr<Synth> numbers();
std::unique_ptr<Synth> signals();
std::unique_ptr<Synth> tones();
std::unique_ptr<Synth> trends();
std::unique_ptr<Synth> marked();
std::unique_ptr<Synth> shapes();

const Catalogue<Synth>& synths();

}  // namespace heed
