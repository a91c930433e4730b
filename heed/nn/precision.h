// Sets the precision of all products with a module's weights.
#pragma once

#include "heed/nn/module.h"
#include "heed/ops/packed.h"

namespace heed {

/// Applies to every matrix among the module's parameters; all other parameters stay f32.
void set_precision(Module& module, Precision precision);

}  // namespace heed
