// The catalogue of decoders. To add one: its file in decoder/, and its line in decoders.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/decoder.h"

namespace heed {

const Catalogue<Decoder>& decoders();

}  // namespace heed
