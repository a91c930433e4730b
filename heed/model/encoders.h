// The catalogue of encoders. To add one: its file in encoder/, and its line in encoders.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/encoder.h"

namespace heed {

const Catalogue<Encoder>& encoders();

}  // namespace heed
