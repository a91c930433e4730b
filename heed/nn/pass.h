// One forward pass: whether it trains, and where its random numbers come from. A draw is keyed by
// (seed, step, stream), where the stream counts the draws of this pass, so that a resumed run equals an
// uninterrupted one.
//
// A search has one pass for all its steps, and every row of a step has its own key (sentence,
// sample, position), so that a row's draws do not depend on the other rows.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "heed/tensor/draw_key.h"

namespace heed {

class AttentionChanges;
class Products;
class SelfWeights;

class Pass {
 public:
  /// Without dropout and noise.
  static Pass serving(uint64_t seed = 0) { return {false, seed, 0}; }
  static Pass training(uint64_t seed, uint64_t step) { return {true, seed, step}; }
  /// The step is in a tensor, as in KernelKey, so that a recorded pass can be run again for another
  /// step.
  static Pass training(uint64_t seed, Tensor step) {
    Pass pass{true, seed, 0};
    pass.step_tensor_ = std::move(step);
    return pass;
  }

  bool trains() const { return trains_; }
  /// A key that no other draw of this pass has.
  DrawKey draw() { return {{seed_, step_, stream_++}, step_tensor_}; }

  /// What the products of this pass share (nn/shares_products.h); null if they share nothing.
  Products* products() const { return products_; }
  Products* exchange_products(Products* products) { return std::exchange(products_, products); }

  /// Who looks on at self-attention (attention/attend_within.h); null: nobody.
  SelfWeights* self_weights() const { return self_weights_; }
  SelfWeights* exchange_self_weights(SelfWeights* onlooker) {
    return std::exchange(self_weights_, onlooker);
  }

  /// What is changed of its attention (attention/attention_changes.h); null: nothing.
  AttentionChanges* changes() const { return changes_; }
  AttentionChanges* exchange_changes(AttentionChanges* changes) {
    return std::exchange(changes_, changes);
  }

  /// Begins a step in which row q also draws by keys[q] (i32 [Q, 3], as Backend::random_rows takes
  /// them), and counts the draws from 0 again.
  void begin_step(Tensor keys) {
    row_keys_ = std::move(keys);
    stream_ = 0;
  }
  /// From now on sentence b draws by keys[b], as in a search, whatever batch it is in: a decoder that is
  /// taught says which rows are whose (sentence_keys.h).
  void draw_by_sentence(std::vector<std::array<int32_t, 2>> keys) {
    sentence_keys_ = std::move(keys);
  }
  /// Empty where sentences have no keys of their own.
  const std::vector<std::array<int32_t, 2>>& sentence_keys() const { return sentence_keys_; }
  /// Undefined where rows have no keys of their own.
  const Tensor& row_keys() const { return row_keys_; }
  /// Sets the same keys in another arrangement of the rows; returns the previous ones.
  Tensor exchange_row_keys(Tensor keys) { return std::exchange(row_keys_, std::move(keys)); }

 private:
  Pass(bool trains, uint64_t seed, uint64_t step) : trains_(trains), seed_(seed), step_(step) {}
  bool trains_;
  uint64_t seed_;
  uint64_t step_;
  uint64_t stream_ = 0;
  Tensor step_tensor_;
  Tensor row_keys_;
  std::vector<std::array<int32_t, 2>> sentence_keys_;
  Products* products_ = nullptr;
  SelfWeights* self_weights_ = nullptr;
  AttentionChanges* changes_ = nullptr;
};

}  // namespace heed
