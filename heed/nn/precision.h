// The precision a whole module's weights are multiplied in.
#pragma once

#include "heed/nn/module.h"
#include "heed/ops/packed.h"

namespace heed {

/// Every matrix among the module's parameters; what else there is stays f32.
void set_precision(Module& module, Precision precision);

}  // namespace heed
