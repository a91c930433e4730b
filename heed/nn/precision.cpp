#include "heed/nn/precision.h"

namespace heed {

void set_precision(Module& module, Precision precision) {
  for (Weight& weight : distinct_weights_of(module)) {
    weight.set_precision(precision);
  }
}

void serve(Module& module, Precision precision) {
  Backend* backend = nullptr;
  for (Weight& weight : distinct_weights_of(module)) {
    weight.serve(precision);
    backend = weight.place().backend;
  }
  if (backend != nullptr) {
    backend->allocator().trim();
  }
}

}  // namespace heed
