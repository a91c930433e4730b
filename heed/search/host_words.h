// The probabilities of all next words on the host, for strategies that must look at each
// hypothesis.
//
//   log p_v = x_v − ln Σ_u e^(x_u) = (x_v − x_b) − loss_b,    b the row's best, loss_b = −ln p_b
#pragma once

#include <cstdint>
#include <vector>

#include "heed/search/sentence_search.h"
#include "heed/tensor/tensor.h"
#include "heed/text/special_tokens.h"

namespace heed {

class HostWords {
 public:
  /// Takes logits or log-probabilities [Q, V]; `best` of a row's likeliest words are sorted, and as
  /// many more as are closed to some row of its beam. Where `is_sum`, they are numbers to be added
  /// to the hypotheses' scores as they are. No output contains the words of `suppressed`, and those
  /// of `closed[row]` may not follow that row (no rows: any may).
  HostWords(const Tensor& scores, int64_t best, bool is_sum, std::vector<TokenId> suppressed,
            std::vector<std::vector<TokenId>> closed = {});

  double log_probability(int32_t row, int32_t id) const {
    return all_[static_cast<size_t>(row * words_ + id)] + constant_[static_cast<size_t>(row)];
  }
  /// Every live hypothesis continued by each of its likeliest words that may follow, likeliest first.
  std::vector<Candidate> likeliest(const Beam& beam) const;

 private:
  bool is_open(int32_t row, TokenId id) const;
  int64_t closed_to(const Beam& beam) const;

  int64_t best_;
  int64_t k_;  // sorted words of a row
  int64_t words_;
  std::vector<TokenId> suppressed_;
  std::vector<std::vector<TokenId>> closed_;
  std::vector<int32_t> likeliest_;  // [Q, k]
  std::vector<double> constant_;    // [Q]
  std::vector<float> all_;          // [Q, V]
};

/// The likeliest first; equals keep their order.
void sort_by_log_probability(std::vector<Candidate>& candidates);

}  // namespace heed
