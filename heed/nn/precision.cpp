#include "heed/nn/precision.h"

namespace heed {

void set_precision(Module& module, Precision precision) {
  for (const NamedParameter& parameter : distinct_parameters_of(module)) {
    if (parameter.tensor->rank() == 2) {
      set_precision(*parameter.tensor, precision);
    }
  }
}

}  // namespace heed
