// e_ij = score(q_i, k_j): how well memory slot j matches query i.
//
// Shapes everywhere in this layer: M memories, G key/value heads, P query heads that share one of
// them (H = G·P), R query rows a memory, S slots, d the head's width.
#pragma once

#include <limits>
#include <optional>

#include "heed/attention/lowered.h"
#include "heed/nn/init.h"
#include "heed/nn/module.h"

namespace heed {

struct ScoreWidths {
  int64_t query = 0;  // of one head
  int64_t key = 0;
  int64_t groups = 1;           // G
  int64_t heads_per_group = 1;  // P
};

class Products;

class Score : public Module {
 public:
  void describe(Describer& /*d*/) override {}
  /// Allocates for these widths, or refuses them and says why.
  virtual void build(const ScoreWidths& widths, Init& init) = 0;
  /// The part of the score that depends on the key alone, [M, G, S, d] → [M, G, S, A]. It is
  /// computed once per sentence, each slot independently.
  virtual Tensor prepare(const Tensor& keys) const { return keys; }
  /// The part that depends on the query alone, [M, G, P, R, d] → [M, G, P, R, A]. Its products with
  /// weights share the pass's packed weights and gathered gradients (ops/products.h).
  virtual Tensor prepare_query(const Tensor& query, Products* products) const {
    (void)products;
    return query;
  }
  /// What the backend's kernel for this score computes from prepared keys once for all steps
  /// (fused.h); undefined if it needs nothing.
  virtual Tensor kernel_keys(const Tensor& prepared) const {
    (void)prepared;
    return {};
  }
  /// The longest memory it can score.
  virtual int64_t most_slots() const { return std::numeric_limits<int64_t>::max(); }
  /// e [M, G, P, R, S] for prepared queries [M, G, P, R, A]; past [M, G, P, R, S] are the previous step's
  /// weights, given only if `reads_past`.
  virtual Tensor operator()(const Tensor& query, const Tensor& prepared, const Tensor& past) const;
  /// The same as a plain description, where there is one.
  virtual std::optional<LoweredScore> lower(const Tensor& query, const Tensor& prepared) const {
    (void)query, (void)prepared;
    return std::nullopt;
  }
  virtual bool reads_past() const { return false; }
  /// False for a score that depends on positions only.
  virtual bool reads_keys() const { return true; }
};

/// Refuses a query and a key of different widths.
void require_equal_widths(const ScoreWidths& widths, const char* who);

}  // namespace heed
