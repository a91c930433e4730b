// The catalogue of fronts. To add one: its file in front/, and its line in fronts.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/front.h"

namespace heed {

const Catalogue<Front>& fronts();

/// Fault::usage where this front does not read such a field; the message names those that do.
void check_pairing(const Front& front, const Field& source);

}  // namespace heed
