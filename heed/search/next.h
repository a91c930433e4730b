// What may follow each hypothesis under way, as the host sees it.
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
  /// log-probabilities [Q, V].
  Next(const Tensor& log_probability, const Wanted& wanted);

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
  double of(int32_t row, int32_t id) const { return all_[static_cast<size_t>(row * words_ + id)]; }
  int64_t words() const { return words_; }

 private:
  int64_t k_ = 0;
  int64_t words_ = 0;
  std::vector<double> log_probability_;  // [Q, k]
  std::vector<int32_t> id_;
  std::vector<float> all_;  // [Q, V]
};

}  // namespace heed
