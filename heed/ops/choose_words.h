// The words that may follow each row of logits, [Q, k], likeliest first. With b the row's best word
//
//   log p(v) = (x_v − x_b) − loss_b        loss_b = −ln p_b, one number a row
//
// Nothing of the logits' size is written.
#pragma once

#include "heed/tensor/tensor.h"

namespace heed {

struct RowWords {
  Tensor ids;              // i32
  Tensor log_probability;  // of the word
  Tensor most;             // [Q, 1]: the row's largest logit, x_b
  Tensor loss;             // [Q, 1]: loss_b
};

struct ChooseWordsOptions {
  int64_t most = 1;  // k
  /// i32 [Q]: where it names a word, only that word may follow; −1 names none. Undefined: no row is forced.
  Tensor forced = {};
  /// i32 [Q, C]: words that get −∞; −1 names none. Undefined: none is closed.
  Tensor closed = {};
  /// Numbers that are added to scores as they are, log p(v) = x_v: most and loss are 0.
  bool is_as_it_is = false;
};

/// Logits [Q, V]; of fewer than k words all are chosen.
RowWords choose_words(const Tensor& logits, const ChooseWordsOptions& options);

/// x [Q, k] with −∞ where the words, ids [Q, k], are among those of their row of `closed`, i32 [Q, C];
/// x itself where `closed` is undefined.
Tensor without_words_of_rows(const Tensor& x, const Tensor& ids, const Tensor& closed);

}  // namespace heed
