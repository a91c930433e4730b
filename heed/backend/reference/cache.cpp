// The primitives of a decoder's caches: iota, writing one slot a row, and reordering rows.
#include <vector>

#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {

void iota(const View& to) {
  Strides counting{};
  counting[to.rank() - 1] = 1;
  with_type(to.dtype, [&](auto element) {
    using T = decltype(element);
    walk<2>(to.shape, {to.strides, counting},
            [&](const Offsets<2>& at) { to.as<T>()[at[0]] = static_cast<T>(at[1]); });
  });
}

void write_slots(const View& to, const View& rows, const View& at, IndexFaults& faults) {
  const Strides in_cache{to.strides[0], to.strides[1], to.strides[3]};
  const Strides in_index{at.strides[0], 0, 0};
  with_type(to.dtype, [&](auto element) {
    using T = decltype(element);
    walk<3>(rows.shape, {rows.strides, in_cache, in_index}, [&](const Offsets<3>& offset) {
      const int64_t slot = checked_index(at.as<int32_t>()[offset[2]], 0, to.shape[2],
                                         Indexed::write_slots, faults, -1);
      if (slot >= 0) {
        to.as<T>()[offset[1] + slot * to.strides[2]] = rows.as<T>()[offset[0]];
      }
    });
  });
}

void reorder_rows(const View& rows, const View& parent, IndexFaults& faults) {
  const Shape kept = rows.shape.with(0, parent.shape[0]);
  const Strides in_index{parent.strides[0], 0, 0};
  const Strides in_row{0, rows.strides[1], rows.strides[2]};
  const Strides own{1, 0, 0};
  with_type(rows.dtype, [&](auto element) {
    using T = decltype(element);
    std::vector<T> before;
    walk<3>(kept, {in_row, in_index, own}, [&](const Offsets<3>& at) {
      const int64_t from = checked_index(parent.as<int32_t>()[at[1]], 0, rows.shape[0],
                                         Indexed::reorder_rows, faults, at[2]);
      before.push_back(rows.as<T>()[at[0] + from * rows.strides[0]]);
    });
    size_t next = 0;
    walk<1>(kept, {rows.strides},
            [&](const Offsets<1>& at) { rows.as<T>()[at[0]] = before[next++]; });
  });
}

}  // namespace heed::reference
