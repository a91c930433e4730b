// A batch as the model sees it: a source of any field and a target of tokens. Both are packed rows,
// one sequence behind the other, without padding.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/field.h"

namespace heed {

struct Batch {
  FieldRows source;
  Layout target;
  Tensor target_in;                             // i32 [N_t]: start y_1 … y_n
  Tensor target_out;                            // i32 [N_t]: y_1 … y_n end
  std::shared_ptr<const HostArray> words = {};  // target_out on the host
  /// The number of each example in its corpus, where the examples are of one; else empty.
  std::vector<int64_t> examples;

  int64_t sentences() const { return source.layout.count(); }
  int64_t target_tokens() const { return target.rows(); }
  /// The words of target b on the host, without the end token.
  std::span<const TokenId> words_of(size_t b) const;
};

/// The examples of a batch, as their fields have prepared them.
struct BatchItems {
  Fields fields;
  std::vector<Item> source;
  std::vector<Item> target;            // may be empty when only the source is needed
  std::vector<int64_t> examples = {};  // their numbers in a corpus, if they are of one
};

/// A batch that is still on the host, ready to be uploaded.
struct HostBatch {
  Place place;
  HostRows source;
  HostRows target_in;    // empty when only the source is needed
  HostArray target_out;  // the same
  std::vector<int64_t> examples;

  Batch uploaded() &&;
};

/// Makes a batch for `place`, whose element type is that of features; ids are i32.
HostBatch collate(const BatchItems& items, const Place& place);
Batch make_batch(const BatchItems& items, const Place& place);

/// The same from token ids.
using IdSequences = std::vector<std::vector<TokenId>>;
Batch batch_of_ids(const IdSequences& source, const IdSequences& target, const Place& place);

}  // namespace heed
