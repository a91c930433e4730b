#include "heed/model/frame_rows.h"

#include <algorithm>

#include "heed/model/summary.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// The sequence of each row.
Tensor sequence_of_rows(const Layout& layout, const Place& place) {
  std::vector<int32_t> sequence(static_cast<size_t>(layout.rows()), -1);
  for (int64_t b = 0; b < layout.count(); ++b) {
    const auto first = sequence.begin() + layout.starts()[static_cast<size_t>(b)];
    std::fill(first, first + layout.lengths()[static_cast<size_t>(b)], static_cast<int32_t>(b));
  }
  return Tensor::of(sequence, {layout.rows()}, place.with(DType::i32));
}

}  // namespace

Tensor normalised(const FieldRows& source) {
  constexpr double least_variance = 1e-5;
  const Tensor sequence = sequence_of_rows(source.layout, source.values.place());
  const Tensor mean = mean_of_rows(source.values, source.layout);
  const Tensor centred = source.values - gather_rows(mean, sequence);
  const Tensor deviation = sqrt(mean_of_rows(centred * centred, source.layout) + least_variance);
  return centred / gather_rows(deviation, sequence);
}

FieldRows joined(const FieldRows& source, int64_t stack, int64_t stride) {
  std::vector<int32_t> index;
  std::vector<int32_t> lengths;
  for (size_t b = 0; b < source.layout.lengths().size(); ++b) {
    const int64_t length = source.layout.lengths()[b];
    const int64_t start = source.layout.starts()[b];
    for (int64_t first = 0; first < length; first += stride) {
      for (int64_t row = first; row < first + stack; ++row) {
        index.push_back(row < length ? static_cast<int32_t>(start + row) : -1);
      }
    }
    lengths.push_back(static_cast<int32_t>((length + stride - 1) / stride));
  }
  const Place place = source.values.place();
  const auto count = static_cast<int64_t>(index.size());
  const Tensor rows =
      gather_rows(source.values, Tensor::of(index, {count}, place.with(DType::i32)));
  return {reshape(rows, {count / stack, stack * source.values.size(1)}),
          Layout::packed(lengths, place)};
}

}  // namespace heed
