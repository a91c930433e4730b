// Sets the precision of all products with a module's weights.
#pragma once

#include "heed/nn/module.h"
#include "heed/ops/packed.h"

namespace heed {

/// Products with the module's weights run in this precision from now on; everything else stays f32.
void set_precision(Module& module, Precision precision);

/// The same for a module that only serves: its weights are brought once into the form that their
/// backend multiplies, and their masters are freed. Tables of embeddings stay for looking up.
/// Reading the parameters afterwards, to save or to train them, is an Error.
void serve(Module& module, Precision precision);

}  // namespace heed
