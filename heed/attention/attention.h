// One operator (mechanisms: score × normaliser × focus × heads):
//
//   e_ij = score(q_i, k_j)
//   ẽ_ij = narrow(e_ij)
//   α_i  = normalise(ẽ_i)
//   α̃_i  = temper(α_i)
//   c_i  = Σ_j α̃_ij v_j
//
// Attention holds the four choices and their parameters. `remember` prepares a memory once per
// sentence; `attend` looks into it.
#pragma once

#include <array>

#include "heed/attention/focus.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/nn/row_positions.h"

namespace heed {

/// Prepared keys and values of M memories. A cache is a Memory with room for more slots; the
/// geometry says how many are in use.
struct Memory {
  Tensor keys;         // [M, G, S, A], as the score prepared them
  Tensor values;       // [M, G, S, d]
  Tensor kernel_keys;  // [M, G, S, …]: what the backend prepared from the keys, if anything

  bool defined() const { return values.defined(); }
  int64_t capacity() const { return values.size(2); }
};

/// What to return in addition to the context. Asking does not change the context.
struct Report {
  bool weights = false;         // all of them
  std::vector<int> heads = {};  // only these heads' (empty: every head)
  bool argmax = false;
  int64_t topk = 0;
  bool entropy = false;
  bool distribution = false;
};

/// H is the number of reported heads, S the number of the memory's slots.
struct Attended {
  Tensor context;          // [N, width]
  Tensor weights;          // [N, H, S], with gradients
  Tensor argmax;           // i32 [N, H]
  Tensor topk_values;      // [N, H, k]
  Tensor topk_slots;       // i32 [N, H, k]
  Tensor entropy;          // [N, H]; where a slot was sampled, of its distribution
  Tensor log_probability;  // [N, H] of the sampled slots, where a slot was sampled
  Tensor distribution;     // [N, H, S], with gradients: from which a slot is sampled, else weights
  Tensor past;             // [Q, H, S] for the next step, if some part reads the past

  /// The fields that have a row for each query row, [N, …]: all but the past.
  static constexpr auto by_row() {
    return std::array{&Attended::context,         &Attended::weights,     &Attended::argmax,
                      &Attended::topk_values,     &Attended::topk_slots,  &Attended::entropy,
                      &Attended::log_probability, &Attended::distribution};
  }
};

struct AttentionWidths {
  int64_t query = 0;
  int64_t memory = 0;  // of keys
  int64_t out = 0;     // of the mixed heads; 0: the query's
  int64_t value = 0;   // of values; 0: the keys'
};

class Attention : public Module {
 public:
  Attention();

  void describe(Describer& d) override;
  /// Allocates, or refuses a combination that makes no sense and says why.
  void build(const AttentionWidths& widths, Init& init);

  /// Width of the context.
  int64_t width() const { return width_; }
  int64_t heads() const { return heads_; }
  double dropout() const { return dropout_; }
  /// The precision of its products, which is that of its projections.
  Precision precision() const;
  bool reads_past() const;
  /// Whether some part changes the weights after they were normalised.
  bool tempers() const;
  /// The number of slots of the longest memory it can attend to.
  int64_t most_slots() const { return score_->most_slots(); }

  /// Prepares sequences [N, D] as memories: keys and values from the same rows.
  Memory remember(const Tensor& rows, const Layout& layout) const {
    return remember({rows, rows, layout});
  }
  /// A key/value memory given from outside.
  struct Pairs {
    const Tensor& keys;    // rows [N, D_k]
    const Tensor& values;  // rows [N, D_v]
    const Layout& layout;
    std::span<const int32_t> first_position = {};  // of each sequence; for rotary keys only
  };
  Memory remember(const Pairs& pairs) const;
  /// Writes one row [M, D] to each memory of a cache, in place: row m to slot at.number[m]. A full
  /// cache is doubled. Not differentiable. `query`, where given, becomes the rows' own queries,
  /// which the same call multiplies, for `Lookup::projected`.
  void remember_more(Memory& cache, const Tensor& rows, const RowPositions& at, const Pass& pass,
                     Tensor* query = nullptr) const;

  /// The context of a row that looks at one slot alone, for every slot: [M, S, width]. There must be
  /// one head.
  Tensor contexts_of_slots(const Memory& memory, const Pass& pass) const;

  struct Parts {
    const Score& score;
    const Normaliser& normaliser;
    const std::vector<std::unique_ptr<Focus>>& focus;
  };
  Parts parts() const { return {*score_, *normaliser_, focus_}; }

  // Choose a part by name before build, for defaults of recipes and for tests.
  void choose_score(std::string_view name);
  void choose_normaliser(std::string_view name);
  void choose_focus(std::initializer_list<std::string_view> names);
  void choose_heads(int64_t heads, int64_t groups, bool project);
  void choose_head_width(int64_t width) { head_width_ = width; }
  void choose_rotary(bool rotary) { is_rotary_ = rotary; }
  void add_focus(std::unique_ptr<Focus> part) { focus_.push_back(std::move(part)); }
  /// Adds `causal` unless some part is causal already, as a decoder's self-attention must be.
  void make_causal();

  /// Query rows times W^q, or as they are: [N, D_q] → [N, H·d].
  Tensor projected_query(const Tensor& rows, const Pass& pass) const;
  /// The same on the grid, split into heads: [M, G, P, R, d].
  Tensor query_heads(const Tensor& projected, const Geometry& geometry) const;
  /// Heads joined and mixed: [M, G, P, R, d] → [N, width].
  Tensor join_heads(const Tensor& contexts, const Geometry& geometry, const Pass& pass) const;

 private:
  /// Keys and values [M, G, S, d] as the parts need them; rotary keys are rotated by `position`.
  Memory prepared(const Tensor& keys, Tensor values, const Tensor& position) const;
  /// [N, D] → [N, G, d]
  Tensor split_groups(const Tensor& rows, const Weight& weight, const Tensor& bias) const;
  /// [N, G·d] → [N, G, d]
  Tensor by_group(const Tensor& projected) const;

  std::unique_ptr<Score> score_;
  std::unique_ptr<Normaliser> normaliser_;
  std::vector<std::unique_ptr<Focus>> focus_;
  int64_t heads_ = 1;
  int64_t groups_ = 0;      // key/value heads; 0: as many as heads
  int64_t head_width_ = 0;  // d; 0: D_q / H
  bool projects_ = false;
  bool has_bias_ = true;
  bool is_rotary_ = false;
  double dropout_ = 0;

  AttentionWidths widths_;
  int64_t width_ = 0;
  Weight query_weight_;   // W^q [H·d, D_q]
  Weight key_weight_;     // W^k [G·d, D_m]
  Weight value_weight_;   // W^v [G·d, D_m]
  Weight output_weight_;  // W^o [out, H·d]
  Tensor query_bias_, key_bias_, value_bias_, output_bias_;
};

}  // namespace heed
