// What the primitives of every backend ask of their views; an Error otherwise. Called first in each
// primitive, so that no kernel has to look again.
#pragma once

#include <span>

#include "heed/device/backend.h"

namespace heed::checks {

void copy(const View& to, const View& from);
void map(Function f, const View& out, std::span<const View> in);
/// Returns the axis that argmax reduces; −1 for the other reductions, which may reduce several axes.
int reduce(Reduction reduction, const View& out, const View& in);
void topk(const View& values, const View& indices, const View& in);
void matmul(const View& out, const View& a, const View& b);
/// `rows` is out of a gather or source of a scatter; `table` the other one.
void gather(const View& rows, const View& table, const View& index, const char* who);
/// One index of a gather or scatter: −1, or a row of the table.
void row(int64_t index, int64_t rows, const char* who);
/// Primitives that have no meaning on whole numbers.
void real(DType dtype, const char* who);

}  // namespace heed::checks
