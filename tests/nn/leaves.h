// The parameters of a module as the leaves of a gradient check (tests/support/directional.h).
#pragma once

#include <vector>

#include "heed/nn/module.h"

namespace heed::test {

inline std::vector<Tensor> leaves_of(Module& module) {
  std::vector<Tensor> leaves;
  for (const NamedParameter& parameter : distinct_parameters_of(module)) {
    leaves.push_back(*parameter.tensor);
  }
  return leaves;
}

}  // namespace heed::test
