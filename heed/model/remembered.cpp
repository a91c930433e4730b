#include "heed/model/remembered.h"

#include <algorithm>

#include "heed/ops/concat.h"
#include "heed/ops/gather.h"
#include "heed/ops/pad.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// Rows of x [B, …].
Tensor chosen(const Tensor& x, const Tensor& rows) {
  const int64_t width = x.numel() / std::max<int64_t>(x.size(0), 1);
  return reshape(gather_rows(reshape(x, {x.size(0), width}), rows),
                 x.shape().with(0, rows.size(0)));
}

/// x [B, G, S, …] padded to this many slots.
Tensor with_slots(const Tensor& x, int64_t slots) {
  return x.size(2) < slots ? pad(x, 2, 0, slots - x.size(2)) : x;
}

Tensor joined(const Tensor& a, const Tensor& kept, const Tensor& b) {
  if (!a.defined()) {
    return a;
  }
  const int64_t slots = std::max(a.size(2), b.size(2));
  return concat({with_slots(chosen(a, kept), slots), with_slots(b, slots)}, 0);
}

}  // namespace

Remembered joined(const Remembered& a, std::span<const int32_t> kept, const Remembered& b) {
  Remembered out;
  for (const int32_t source : kept) {
    out.lengths.push_back(a.lengths.at(static_cast<size_t>(source)));
  }
  out.lengths.insert(out.lengths.end(), b.lengths.begin(), b.lengths.end());
  const auto rows = [&kept](const Tensor& like) {
    return Tensor::of(kept, {static_cast<int64_t>(kept.size())}, like.place().with(DType::i32));
  };
  if (a.summary.defined()) {
    out.summary = concat({chosen(a.summary, rows(a.summary)), b.summary}, 0);
  }
  for (size_t n = 0; n < a.layers.size(); ++n) {
    const Memory& x = a.layers[n];
    const Memory& y = b.layers[n];
    const Tensor index = rows(x.values);
    Memory both;
    both.values = joined(x.values, index, y.values);
    const bool is_shared = x.keys.view().data == x.values.view().data;
    both.keys = is_shared ? both.values : joined(x.keys, index, y.keys);
    both.kernel_keys = joined(x.kernel_keys, index, y.kernel_keys);
    out.layers.push_back(both);
  }
  return out;
}

}  // namespace heed
