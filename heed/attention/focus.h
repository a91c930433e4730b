// Where may the query look: parts that narrow the slots, shift scores by a prior, or temper the
// weights. Any number of them act together: open slots are those that every part leaves open,
// biases add up.
#pragma once

#include <string>

#include "heed/attention/geometry.h"
#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"

namespace heed {

/// What the parts agreed on. Tensors have [M, G or 1, P or 1, R].
struct Where {
  Tensor lo;  // slots lo ≤ j < hi are open
  Tensor hi;
  Tensor count;  // n_i: slots after lengths and causality, before any window
  Tensor bias;   // added to the scores, broadcasts to [M, G, P, R, S]; undefined: nothing
  Tensor centre;  // weights are multiplied by exp(−(j − centre)² / 2σ²); undefined: by nothing
  double sigma = 0;
};

struct FocusInput {
  const Geometry& geometry;
  const Tensor& query;  // [M, G, P, R, d]
  const Tensor&
      past;  // [M, G, P, R, S], the previous step's weights; only where some part reads the past
  int64_t slots;  // S
  bool trains;
};

struct FocusWidths {
  int64_t query = 0;  // of one head
  int64_t groups = 1;
  int64_t heads_per_group = 1;
};

class Focus : public Module {
 public:
  void describe(Describer& /*d*/) override {}
  virtual void build(const FocusWidths& /*widths*/, Init& /*init*/) {}
  /// Causality comes before every other narrowing, because it decides n_i.
  virtual void order(Where& /*where*/, const FocusInput& /*in*/) const {}
  virtual void narrow(Where& /*where*/, const FocusInput& /*in*/) const {}
  virtual bool reads_past() const { return false; }
  /// The settings by which a geometry alone decides what this part does: parts with equal keys do the
  /// same there, and what they found is shared by all blocks. Empty where the query, the past or a
  /// parameter has a say.
  virtual std::string geometric_key() const { return {}; }
  /// True where no slot after the row's own position is open.
  virtual bool is_causal() const { return false; }
};

/// Leaves open what is open already and lies in lo ≤ j < hi.
void open_only(Where& where, const Tensor& lo, const Tensor& hi);
void add_bias(Where& where, const Tensor& bias);
/// 0, 1, … S − 1 as the element type of `like`.
Tensor slot_numbers(int64_t slots, const Tensor& like);

/// Every part's word, beginning with all slots of each row's memory.
Where where_to_look(const std::vector<std::unique_ptr<Focus>>& parts, const FocusInput& in);

}  // namespace heed
