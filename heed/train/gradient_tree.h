// The sum of the gradients of some batches, each computed apart, in the order of a fixed tree:
//
//   of four   (g0 + g1) + (g2 + g3)
//   of seven  ((g0 + g1) + (g2 + g3)) + ((g4 + g5) + g6)
//
// Two neighbours that are sums of as many batches are added as soon as both are there, and at the end
// what is left is added from the last on. So the bits do not depend on who computed which batch, and no more
// than ⌊log2 n⌋ sets of gradients wait while another is computed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/nn/module.h"

namespace heed {

class GradientTree {
 public:
  /// The parameters must outlive it.
  explicit GradientTree(std::span<const NamedParameter> parameters) : parameters_(parameters) {}

  /// Takes the gradients of one more batch away from the parameters.
  void take();
  /// Gives the sum to the parameters; nothing is left.
  void give();
  /// How many sets of gradients it holds.
  int64_t held() const { return static_cast<int64_t>(sums_.size()); }

 private:
  struct Sum {
    int64_t batches = 0;
    std::vector<Tensor> gradients;  // undefined where a parameter had none
  };
  /// Adds the last sum to the one before it.
  void merge();

  std::span<const NamedParameter> parameters_;
  std::vector<Sum> sums_;  // of falling numbers of batches
};

}  // namespace heed
