// What may follow each hypothesis under way, as the host sees it.
//
//   log p_v = x_v − ln Σ_u e^(x_u) = (x_v − x_b) − loss_b,    b the row's best, loss_b = −ln p_b
//
// so that of logits x nothing of their size is written again: the best are found among the logits,
// and one loss a row makes them log-probabilities.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

/// What a strategy needs to see of every row.
struct Wanted {
  int64_t best = 0;     // its so many likeliest words
  bool is_all = false;  // every word
};

class Next {
 public:
  /// Logits or log-probabilities [Q, V].
  Next(const Tensor& scores, const Wanted& wanted);

  struct Word {
    int32_t id;
    double log_probability;
  };
  /// The likeliest words of a row, best first. One of them may be <s>, which no sentence says.
  int64_t count() const { return k_; }
  Word best(int32_t row, int64_t rank) const {
    const auto at = static_cast<size_t>(row * k_ + rank);
    return {id_[at], log_probability_[at]};
  }
  /// Of any word, where all were wanted.
  double of(int32_t row, int32_t id) const {
    return all_[static_cast<size_t>(row * words_ + id)] + constant(row);
  }
  /// What makes a score of this row a log-probability when it is added.
  double constant(int32_t row) const { return constant_[static_cast<size_t>(row)]; }
  int64_t words() const { return words_; }

 private:
  int64_t k_ = 0;
  int64_t words_ = 0;
  std::vector<double> log_probability_;  // [Q, k]
  std::vector<int32_t> id_;
  std::vector<double> constant_;  // [Q]
  std::vector<float> all_;        // [Q, V]
};

}  // namespace heed
