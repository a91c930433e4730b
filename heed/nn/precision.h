// The precision a whole module's weights are multiplied in.
#pragma once

#include "heed/nn/module.h"
#include "heed/ops/packed.h"

namespace heed {

/// Products with the module's weights run in it from now on; whatever else there is stays f32.
void set_precision(Module& module, Precision precision);

/// The same for a module that only serves: its weights are brought into the form their backend
/// multiplies, once, and their masters are let go. Tables of embeddings stay for looking up. Whoever
/// wants the parameters afterwards, to save or to train them, gets an Error.
void serve(Module& module, Precision precision);

}  // namespace heed
