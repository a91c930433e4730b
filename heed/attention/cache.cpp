#include "heed/attention/cache.h"

#include <algorithm>
#include <span>

#include "heed/base/inline_vector.h"
#include "heed/device/kernel/slots.h"
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

/// All parts in one call where the backend has a kernel for that.
void write(std::span<const SlotWrite> parts, const Tensor& at) {
  Backend& backend = at.backend();
  if (parts.size() > 1 && backend.run_fused(WriteEachSlots{parts, at.view()})) {
    return;
  }
  for (const SlotWrite& part : parts) {
    backend.write_slots(part.to, part.rows, at.view());
  }
}

/// As many slots as are moved or copied where `used` are in use: more, so that steps at neighbouring
/// positions make the same call.
int64_t moved_slots(const Memory& cache, int64_t used) {
  const int64_t chunks = (used + least_slots - 1) / least_slots;
  return std::min(cache.capacity(), chunks * least_slots);
}

void copy_slots(const Tensor& to, const Tensor& from, int64_t used) {
  from.backend().copy(in_use(slice(to, 0, 0, from.size(0)), used), in_use(from, used));
}

/// Memory for this many rows and more to come, where the cache's rows are the first.
Memory larger_room(const Memory& cache, int64_t rows, int64_t used) {
  Memory room = cache;
  const int64_t moved = moved_slots(cache, used);
  const bool is_sparse = cache.capacity() > 4 * std::max(moved, least_slots);
  const int64_t slots = is_sparse ? 2 * std::max(moved, least_slots) : cache.capacity();
  const int64_t spare = std::max(rows, cache.values.size(0) + cache.values.size(0) / 2);
  each_part(room, [&](Tensor& part) {
    const Tensor larger = empty_slots(part, spare, slots);
    copy_slots(larger, part, moved);
    part = larger;
  });
  return room;
}

int64_t most_of(std::span<const int32_t> counts) {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

/// Makes rows of the room empty that were in use before.
void clear_rows(CacheRoom& room, int64_t first, int64_t count) {
  const std::span<int32_t> stale =
      std::span(room.stale).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
  const int64_t slots = most_of(stale);
  if (slots > 0) {
    each_part(room.memory, [&](Tensor& part) {
      part.backend().fill(sliced(slice(part, 0, first, count).view(), 2, 0, slots), 0);
    });
  }
  std::fill(stale.begin(), stale.end(), 0);
}

/// The first rows of the room, the cache's and then empty ones.
void take_rows(Memory& cache, CacheRoom& room, int64_t rows, int64_t used) {
  const int64_t before = cache.values.size(0);
  const bool lies_in_room =
      room.memory.defined() && room.memory.values.view().data == cache.values.view().data;
  const bool is_sparse = cache.capacity() > 4 * std::max(moved_slots(cache, used), least_slots);
  if (!lies_in_room || room.memory.values.size(0) < rows || is_sparse) {
    room.memory = larger_room(cache, rows, used);
    room.stale.assign(static_cast<size_t>(room.memory.values.size(0)), 0);
  } else if (rows > before) {
    clear_rows(room, before, rows - before);
  }
  cache = room.memory;
  each_part(cache, [rows](Tensor& part) { part = slice(part, 0, 0, rows); });
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
  InlineVector<SlotWrite, 3> parts;
  const auto add = [&parts](const Tensor& to, const Tensor& from) {
    parts.push_back({to.view(), *reshaped(from.view(), {to.size(0), to.size(1), to.size(3)})});
  };
  add(cache.values, fresh.values);
  if (cache.keys.view().data != cache.values.view().data) {
    add(cache.keys, fresh.keys);
  }
  if (cache.kernel_keys.defined()) {
    add(cache.kernel_keys, fresh.kernel_keys);
  }
  write({parts.begin(), parts.size()}, at.number);
}

void add_cache_rows(Memory& cache, CacheRoom& room, int64_t rows, std::span<const int32_t> used) {
  take_rows(cache, room, cache.values.size(0) + rows, most_of(used));
}

void reorder_cache(Memory& cache, CacheRoom& room, const Tensor& parent,
                   std::span<const int32_t> used) {
  const int64_t rows = parent.size(0);
  if (rows > cache.values.size(0)) {
    take_rows(cache, room, rows, most_of(used));
  }
  for (auto row = static_cast<size_t>(rows); row < std::min(room.stale.size(), used.size());
       ++row) {
    room.stale[row] = used[row];
  }
  const int64_t moved = moved_slots(cache, most_of(used));
  each_part(cache, [&](Tensor& part) {
    part.backend().reorder_rows(in_use(part, moved), parent.view());
    part = slice(part, 0, 0, rows);
  });
}

Memory copy_of_cache(const Memory& cache) {
  Memory copy = cache;
  each_part(copy, [](Tensor& part) { part = part.clone(); });
  return copy;
}

}  // namespace heed
