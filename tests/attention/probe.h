// Everything that attention can report, as one number to take gradients of.
#pragma once

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "tests/attention/rig.h"

namespace heed::test {

inline const Report everything = {
    .weights = true, .heads = {}, .argmax = true, .topk = 2, .entropy = true};

/// A number that depends on everything with a gradient: context, weights, log-probability and, if
/// asked for, entropy, whose gradient log p is sensitive to the last bit of a small p.
inline Tensor probe(const Attended& seen, bool with_entropy = true) {
  Tensor total;
  uint64_t place = 0;
  for (const Tensor& part :
       {seen.context, seen.weights, seen.topk_values, seen.entropy, seen.log_probability}) {
    ++place;
    if (!part.defined() || (place == 4 && !with_entropy)) {
      continue;
    }
    const Tensor weights =
        Tensor::random(part.shape(), Distribution::normal, {9, 0, place}, part.place());
    const Tensor one = sum(part * weights);
    total = total.defined() ? total + one : one;
  }
  return total;
}

}  // namespace heed::test
