// Attention in one pass, with memory linear in rows + slots:
//
//   e_ij = score(q_i, k_j) + bias_ij, lo_i ≤ j < hi_i      α_i = normalise(e_i)
//   α̃_ij = α_ij exp(−(j − centre_i)² / 2σ²)                c_i = Σ_j drop(α̃_ij) v_j
//
// M memories, G key/value heads, P query heads that share one of them, R rows a memory, S slots, A
// the width of queries and keys, d that of values. Views are f32 unless noted; a view without data
// is absent; broadcast axes have stride 0.
#pragma once

#include <cstdint>
#include <variant>

#include "heed/device/kernel/packed.h"
#include "heed/device/kernel_key.h"

namespace heed {

/// f of the additive score.
enum class Activation : uint8_t { tanh, relu, sigmoid, gelu };

/// e_ij = scale · q_iᵀ k_j
struct DotPairs {
  double scale = 1;
};
/// e_ij = vᵀ f(q_i + k_j)
struct AdditivePairs {
  View v;  // [G, P, A]
  Activation activation = Activation::tanh;
  View prepared = {};  // as PrepareKeys wrote it, or none
};

/// Weights that are computed slot by slot and divided by at most one number a row: softmax, relu,
/// sigmoid.
struct Streaming {
  enum class Kind : uint8_t { exp, relu, sigmoid } kind = Kind::exp;
  double bias = 0;
  bool subtract_log_count = false;  // bias − log n_i
  enum class Divide : uint8_t { nothing, count, sum } divide = Divide::sum;
};
/// Weights by a threshold for each row: α-entmax (2: sparsemax, 1.5: entmax15) or the k largest.
struct Threshold {
  double alpha = 0;
  int64_t k = 0;
};
using LoweredNormaliser = std::variant<Streaming, Threshold>;

struct AttendScore {
  View query;  // [M, G, P, R, A]
  View keys;   // [M, G, S, A]
  std::variant<DotPairs, AdditivePairs> kind;
};

/// The slots that each row may see; [M, G, P, R], whole numbers where they count slots.
struct AttendWhere {
  View lo;
  View hi;
  View count;   // n_i
  View bias;    // [M, G, P, R, S] or none
  View centre;  // or none
  double sigma = 0;
};

/// Element e of the dense grid [M, G, P, R, S] draws with counter e, as in ops/dropout.
struct AttendDropout {
  double rate = 0;
  KernelKey key;
};

/// What to write in addition to the context; asking does not change the context.
struct AttendReport {
  View weights;  // [M, G, P, R, S] α̃, 0 where nothing is open
  View argmax;   // i32 [M, G, P, R], of α̃, ties to the lower slot
  View entropy;  // [M, G, P, R] of α̃
};

/// Computes what the backend's own kernel needs from the keys of an additive score, once for many
/// calls. Nobody else reads the result: only its width is known, so that a cache can hold it slot
/// by slot.
struct PrepareKeys {
  static constexpr const char* name = "prepare_keys";
  View keys;  // [M, G, S, A]
  Activation activation = Activation::tanh;
  View prepared = {};        // [M, G, S, width], dense, written; if absent, nothing is computed
  int64_t* width = nullptr;  // written if not null
};

/// Asks a backend about a call of `attend` before anything is computed for it.
struct AttendPlan {
  static constexpr const char* name = "attend_plan";
  DType dtype = DType::f32;
  Shape grid;             // [M, G, P, R, S]
  int64_t key_width = 0;  // A
  bool is_additive = false;
  bool has_centre = false;
  LoweredNormaliser normaliser;
  /// The answer, which the backend writes if it takes the call.
  struct Answer {
    /// It is cheaper to keep the weights of the forward pass than to compute them again.
    bool keeps_weights = false;
    /// The gradients of keys and values are added into one tensor over many calls, because each
    /// call adds little; otherwise each call writes its own.
    bool gathers_slots = false;
  };
  Answer* answer = nullptr;
};

struct AttendStep {
  static constexpr const char* name = "attend";
  AttendScore score;
  LoweredNormaliser normaliser;
  AttendWhere where;
  AttendDropout dropout;
  /// The precision of the products of dot scores and with values; with bf16 operands may be
  /// rounded, and sums are f32.
  Precision precision = Precision::f32;
  View values;   // [M, G, S, d]
  View context;  // [M, G, P, R, d], written
  View state;    // [M, G, P, R, 2], written: what the gradient needs for each row
  AttendReport report;
};

struct AttendGradient {
  static constexpr const char* name = "attend_gradient";
  // The forward call, with the context and state that it wrote. Weights that it reported need not
  // be computed again, unless a Gaussian tempered them.
  AttendStep step;
  View dcontext;  // [M, G, P, R, d]
  View dweights;  // [M, G, P, R, S] of the reported weights, or none
  // Absent if not wanted:
  View dquery;   // [M, G, P, R, A], written
  View dkeys;    // [M, G, S, A], added to
  View dvalues;  // [M, G, S, d], added to
  View dv;       // [G, P, A], added to
  View dbias;    // [M, G, P, R, S], written
  View dcentre;  // [M, G, P, R], written
  /// dkeys and dvalues are written, not added to.
  bool writes_slots = false;
};

}  // namespace heed
