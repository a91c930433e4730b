// A focus restricts where a query may look: it narrows the slots, adds a prior to the scores, or
// tempers the weights. Any number of focuses act together: a slot is open if every part leaves it
// open, and biases add up.
#pragma once

#include <string>

#include "heed/attention/geometry.h"
#include "heed/attention/where.h"
#include "heed/nn/init.h"
#include "heed/nn/module.h"
#include "heed/nn/pass.h"

namespace heed {

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
  /// Whether it sets a centre, by which weights are multiplied after they were normalised.
  virtual bool tempers() const { return false; }
  /// A key made of the settings, if these and the geometry alone decide what this part does. Parts
  /// with equal keys then have the same result, which all blocks share. Empty if the result also
  /// depends on the query, the past or a parameter.
  virtual std::string geometric_key() const { return {}; }
  /// Whether all slots after the row's own position are closed.
  virtual bool is_causal() const { return false; }
};

/// Closes all slots outside lo ≤ j < hi.
void open_only(Where& where, const Tensor& lo, const Tensor& hi);
void add_bias(Where& where, const Tensor& bias);
/// 0, 1, …, S − 1 beside `like`, exact.
Tensor slot_numbers(int64_t slots, const Tensor& like);

/// Applies every part, beginning with all slots of each row's memory open.
Where where_to_look(const std::vector<std::unique_ptr<Focus>>& parts, const FocusInput& in);

}  // namespace heed
