#include "heed/attention/cache.h"

#include <algorithm>
#include <array>

#include "heed/ops/slice.h"

namespace heed {
namespace {

constexpr int64_t least_slots = 16;

/// Calls `change` on every tensor that a cache holds slot by slot; keys that are the same tensor as
/// the values are changed once.
template <class Change>
void each_part(Memory& cache, const Change& change) {
  const bool is_shared = cache.keys.view().data == cache.values.view().data;
  change(cache.values);
  if (is_shared) {
    cache.keys = cache.values;
  } else {
    change(cache.keys);
  }
  if (cache.kernel_keys.defined()) {
    change(cache.kernel_keys);
  }
}

/// The used slots of x [M, G, S, d] as [M, G, used · d].
View in_use(const Tensor& x, int64_t used) {
  return *reshaped(sliced(x.view(), 2, 0, used), {x.size(0), x.size(1), used * x.size(3)});
}

Tensor empty_slots(const Tensor& like, int64_t rows, int64_t slots) {
  // The composed operator multiplies unused slots by weights of 0, so they must be finite.
  return Tensor::zeros(like.shape().with(0, rows).with(2, slots), like.place());
}

Tensor with_room(const Tensor& x, int64_t slots) {
  Tensor larger = empty_slots(x, x.size(0), slots);
  x.backend().copy(sliced(larger.view(), 2, 0, x.size(2)), x.view());
  return larger;
}

void write(const Tensor& cache, const Tensor& fresh, const Tensor& at) {
  const Shape rows{cache.size(0), cache.size(1), cache.size(3)};
  cache.backend().write_slots(cache.view(), *reshaped(fresh.view(), rows), at.view());
}

/// Gathers each row into new memory, for more rows than there were.
Tensor gathered(const Tensor& x, const Tensor& parent, int64_t used) {
  const int64_t rows = parent.size(0);
  Tensor out = empty_slots(x, rows, x.size(2));
  const std::array by_group = {1, 0, 2};
  x.backend().gather(permuted(in_use(out, used), by_group), permuted(in_use(x, used), by_group),
                     broadcast_to(parent.view(), {x.size(1), rows}));
  return out;
}

}  // namespace

void write_slot(Memory& cache, const Memory& fresh, const RowPositions& at, int64_t most) {
  if (!cache.defined()) {
    cache = fresh;
    const int64_t slots = std::min(least_slots, most);
    each_part(cache, [slots](Tensor& part) { part = empty_slots(part, part.size(0), slots); });
  }
  if (at.bound > cache.capacity()) {
    const int64_t slots = std::max(std::min(2 * cache.capacity(), most), at.bound);
    each_part(cache, [slots](Tensor& part) { part = with_room(part, slots); });
  }
  write(cache.values, fresh.values, at.number);
  if (cache.keys.view().data != cache.values.view().data) {
    write(cache.keys, fresh.keys, at.number);
  }
  if (cache.kernel_keys.defined()) {
    write(cache.kernel_keys, fresh.kernel_keys, at.number);
  }
}

void add_cache_rows(Memory& cache, int64_t rows) {
  each_part(cache, [rows](Tensor& part) {
    const Tensor larger = empty_slots(part, part.size(0) + rows, part.size(2));
    part.backend().copy(sliced(larger.view(), 0, 0, part.size(0)), part.view());
    part = larger;
  });
}

void reorder_cache(Memory& cache, const Tensor& parent, int64_t used) {
  const int64_t rows = parent.size(0);
  // More slots than are in use: steps at neighbouring positions then make the same call.
  const int64_t chunks = (used + least_slots - 1) / least_slots;
  const int64_t moved = std::min(cache.capacity(), chunks * least_slots);
  each_part(cache, [&](Tensor& part) {
    if (rows > part.size(0)) {
      part = gathered(part, parent, used);
      return;
    }
    part.backend().reorder_rows(in_use(part, moved), parent.view());
    part = slice(part, 0, 0, rows);
  });
}

}  // namespace heed
