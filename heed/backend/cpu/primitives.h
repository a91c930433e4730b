// The primitives of the CPU backend as free functions, for f32 (and i32 where it makes sense).
// Backend's declarations say what each does, and views are checked before these are called.
#pragma once

#include <span>

#include "heed/device/backend.h"

namespace heed::cpu {

void copy(const View& to, const View& from);
void fill(const View& to, double value);
void random(const View& to, Distribution distribution, const RandomKey& key);
void random_rows(const View& to, Distribution distribution, const RandomKey& key, const View& keys);
void map(Function f, const View& out, std::span<const View> in, MapScalars scalars);
void sum(const View& out, const View& in);
void max(const View& out, const View& in);
void argmax(const View& out, const View& in, int axis);
void running_sum(const View& out, const View& in, SumFrom from);
void topk(const View& values, const View& indices, const View& in);
void matmul(const View& out, const View& a, const View& b, float alpha, float beta);
void gather(const View& out, const View& table, const View& index, IndexFaults& faults);
void scatter_add(const View& out, const View& source, const View& index, IndexFaults& faults);
void iota(const View& to);
void write_slots(const View& to, const View& rows, const View& at, IndexFaults& faults);
void reorder_rows(const View& rows, const View& parent, IndexFaults& faults);

}  // namespace heed::cpu
