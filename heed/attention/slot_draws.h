// Finds whether a model looks at slots that it draws when it decodes, so that a seed has an effect.
#pragma once

#include "heed/config/described.h"

namespace heed {

bool draws_slots(Described& module);

}  // namespace heed
