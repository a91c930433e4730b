// Rows by index. An index of −1 reads zeros and writes nothing.
//
//   gather:       out[b, n, d] ← table[b, index[b, n], d]
//   scatter_add:  out[b, index[b, n], d] += source[b, n, d]
#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {
namespace {

/// Calls body(row, offset in rows, offset in the table's row 0) for every element of `rows`.
template <class Body>
void each(const View& rows, const View& table, const View& index, Indexed who, IndexFaults& faults,
          const Body& body) {
  const Strides rows_of_index{index.strides[0], index.strides[1], 0};
  const Strides in_table{table.strides[0], 0, table.strides[2]};
  walk<3>(rows.shape, {rows.strides, in_table, rows_of_index}, [&](const Offsets<3>& at) {
    const int64_t row =
        checked_index(index.as<int32_t>()[at[2]], -1, table.shape[1], who, faults, -1);
    body(row, at[0], at[1] + row * table.strides[1]);
  });
}

}  // namespace

void gather(const View& out, const View& table, const View& index, IndexFaults& faults) {
  with_any_type(out.dtype, [&](auto element) {
    using T = decltype(element);
    each(out, table, index, Indexed::gather, faults, [&](int64_t row, int64_t to, int64_t from) {
      out.as<T>()[to] = row < 0 ? T{} : table.as<T>()[from];
    });
  });
}

void scatter_add(const View& out, const View& source, const View& index, IndexFaults& faults) {
  with_type(out.dtype, [&](auto element) {
    using T = decltype(element);
    each(source, out, index, Indexed::scatter_add, faults,
         [&](int64_t row, int64_t from, int64_t to) {
           if (row >= 0) {
             out.as<T>()[to] += source.as<T>()[from];
           }
         });
  });
}

}  // namespace heed::reference
