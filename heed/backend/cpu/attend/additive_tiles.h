// The additive score as a policy of tiles.h:
//
//   e_ij = Σ_a v_a f(q_ia + k_ja)      dq_ia += de_ij v_a f'      dk_ja += de_ij v_a f'
//   dv_a += de_ij f
//
// tanh and sigmoid use exponential products (additive_products.h), whose exponentials are computed
// once a row and once a slot. They are valid where |q| and |k| are moderate. A block with larger
// values is halved until the large pairs are alone; those take fewer terms a division or, in the
// end, the direct form (additive_direct.h). Other activations always use the direct form.
#pragma once

#include "heed/backend/cpu/attend/additive_products.h"

namespace heed::cpu {

class AdditiveTiles {
 public:
  AdditiveTiles(const AttendScore& score, const HeadOf& at);

  static double scale() { return 1; }
  void prepare(const Block& all);
  void scores(const Block& b, TileRows e) const;
  void gradients(const Block& b, TileRows de, const HeadGradients& to) const;

 private:
  void prepare_queries(const Block& all, float* memory);
  void prepare_keys(const Block& all);
  /// max |q| and |k| of the block.
  float reach(const Block& b) const;
  /// How many terms of each pair of the block may share a division; 0: the direct form is needed.
  int shared_scores(const Block& b) const;
  int shared_gradients(const Block& b) const;
  void product_block(const Block& b, TileRows e, int shared) const;
  void product_block(const Block& b, TileRows de, const HeadGradients& to, int shared) const;
  void product_row(const Block& b, TileRows de, const HeadGradients& to, int shared) const;
  void finish_keys(const ProductGradients& block, int64_t slot, int64_t first,
                   TileRows dkeys) const;
  void finish_rows(const ProductGradients& block, int64_t row, int64_t first,
                   const HeadGradients& to) const;
  void direct_block(const Block& b, TileRows e) const;
  void direct_block(const Block& b, TileRows de, const HeadGradients& to) const;

  int64_t width_;   // A
  int64_t padded_;  // A rounded up to whole groups
  TileRows query_;
  TileRows keys_;
  TileRows given_exponentials_;  // as prepared, or none
  TileRows given_reach_;         // one number a row, or none
  const float* given_v_;
  int64_t v_gap_;
  Activation activation_;
  float steepness_;           // κ; 0: there are no exponentials
  float headroom_ = 0;        // the limit of the sum of exponents in a product
  const float* v_ = nullptr;  // dense
  float total_ = 0;           // Σ v
  // For the prepared rows and slots:
  Block all_;
  TileRows below_;    // e^(−κq)
  TileRows weighed_;  // v e^(−κq)
  TileRows grown_;    // e^(κk)
  float* row_reach_ = nullptr;
  float* slot_reach_ = nullptr;
};

}  // namespace heed::cpu
