// The attention operator, whatever its parts:
//
//   c_i = Σ_j temper(normalise(narrow(score(q_i, k_j)))) v_j
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
  Report report = {};      // what to return in addition to the context
  Tensor projected = {};   // the query's rows times W^q, where `remember_more` computed them
  bool is_within = false;  // self-attention, whose blocks are counted apart (attention_changes.h)
};

/// Runs the operator once. If parts read the past, the rows of each sequence are computed in order,
/// so that `teach` equals looped `step`.
Attended attend(const Attention& how, const Lookup& lookup, Pass& pass);

}  // namespace heed
