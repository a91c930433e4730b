// The catalogue of families. To add one: its file in family/, and its line in families.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/import/family.h"

namespace heed {

const Catalogue<Family>& families();

}  // namespace heed
