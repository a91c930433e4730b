// c_i = Σ_j temper(normalise(narrow(score(q_i, k_j)))) v_j : the one operator, whatever its parts.
#pragma once

#include "heed/attention/attention.h"
#include "heed/attention/geometry.h"

namespace heed {

struct Lookup {
  const Tensor& query;  // rows [N, D]
  const Geometry& geometry;
  const Memory& memory;
  Tensor past =
      {};  // [Q, H, S'] from the step before, S' ≤ S; undefined: nothing was looked at yet
  Report report = {};  // what to hand out beside the context
};

/// Looks once. Parts that read the past make it walk the rows of each sequence in order, so that
/// `teach` equals looped `step`.
Attended attend(const Attention& how, const Lookup& lookup, Pass& pass);

}  // namespace heed
