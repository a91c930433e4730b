#include "heed/data/batch.h"

#include "heed/text/vocabulary.h"

namespace heed {
namespace {

struct Rows {
  std::vector<int32_t> ids;
  std::vector<int32_t> lengths;

  /// `before`, the sequence, `after`; −1 stands for nothing.
  void add(const std::vector<int32_t>& sequence, int32_t before, int32_t after) {
    const size_t start = ids.size();
    if (before >= 0) {
      ids.push_back(before);
    }
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    if (after >= 0) {
      ids.push_back(after);
    }
    lengths.push_back(static_cast<int32_t>(ids.size() - start));
  }
  Tensor tensor(const Place& place) const {
    return Tensor::of(ids, {static_cast<int64_t>(ids.size())}, place.with(DType::i32));
  }
};

}  // namespace

Batch make_batch(const TokenPairs& pairs, const Place& place) {
  Rows source;
  for (const auto& sequence : pairs.source) {
    source.add(sequence, -1, Vocabulary::end);
  }
  Batch batch;
  batch.source = Layout::packed(source.lengths, place);
  batch.source_ids = source.tensor(place);
  if (pairs.target.empty()) {
    return batch;
  }
  require(pairs.target.size() == pairs.source.size(), "batch: saw {} sources and {} targets",
          pairs.source.size(), pairs.target.size());
  Rows in;
  Rows out;
  for (const auto& sequence : pairs.target) {
    in.add(sequence, Vocabulary::start, -1);
    out.add(sequence, -1, Vocabulary::end);
  }
  batch.target = Layout::packed(in.lengths, place);
  batch.target_in = in.tensor(place);
  batch.target_out = out.tensor(place);
  return batch;
}

}  // namespace heed
