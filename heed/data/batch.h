// A batch as the model sees it: token ids in packed rows, one sequence behind the other, no
// padding.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/layout.h"

namespace heed {

struct Batch {
  Layout source;
  Tensor source_ids;  // i32 [N_s], each sequence ends in </s>
  Layout target;
  Tensor target_in;   // i32 [N_t]: <s> y_1 … y_n
  Tensor target_out;  // i32 [N_t]: y_1 … y_n </s>

  int64_t sentences() const { return source.count(); }
  int64_t target_tokens() const { return target.rows(); }
};

/// Token ids without specials → a batch on `place` (its element type matters to nothing here; ids
/// are i32).
struct TokenPairs {
  std::vector<std::vector<int32_t>> source;
  std::vector<std::vector<int32_t>> target;  // may be empty when only the source is needed
};
Batch make_batch(const TokenPairs& pairs, const Place& place);

}  // namespace heed
