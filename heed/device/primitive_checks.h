// Checks of the views that primitives get; a wrong view is an Error. `Backend` calls them, so that no
// backend and no kernel has to check again.
#pragma once

#include <span>

#include "heed/device/backend.h"

namespace heed::checks {

void contiguous(const View& view, const char* who);
void copy(const View& to, const View& from);
/// Numbers of a real type, and a key whose step, if it is in memory, is i32 [2].
void random(const View& to, const KernelKey& key);
void map(Function f, const View& out, std::span<const View> in);
/// Returns the axis that argmax reduces; −1 for the other reductions, which may reduce several axes.
int reduce(Reduction reduction, const View& out, const View& in);
void running_sum(const View& out, const View& in);
void topk(const View& values, const View& indices, const View& in);
void matmul(const View& out, const View& a, const View& b);
/// `rows` is the result of a gather or the source of a scatter; `table` is the other one.
void gather(const View& rows, const View& table, const View& index, const char* who);
/// Numbers [r, h, n], n ≤ 2²⁴, and i32 [r, 3].
void random_rows(const View& to, const View& keys);
/// The key with its step read from memory, for backends that use the host's memory.
RandomKey read_key(const KernelKey& key);
/// The key of a row.
RandomKey key_of_row(const RandomKey& key, const View& keys, int64_t row);
/// A cache [q, g, S, d], rows [q, g, d] and i32 [q].
void write_slots(const View& to, const View& rows, const View& at);
/// Rows [r, g, d] and i32 [q], q ≤ r.
void reorder_rows(const View& rows, const View& parent);
/// Numbers that count along the last axis.
void iota(const View& to);
/// For primitives that make no sense for whole numbers.
void real(DType dtype, const char* who);

}  // namespace heed::checks
