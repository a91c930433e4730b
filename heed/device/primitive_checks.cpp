#include "heed/device/primitive_checks.h"

#include "heed/base/error.h"
#include "heed/device/shape_format.h"

namespace heed::checks {
namespace {

// Failures are separate functions, because their arguments would need a stack frame, which the
// compiler would guard in every call.
[[noreturn, gnu::noinline]] void refuse_shapes(const View& a, const View& b, const char* who) {
  fail("{}: saw shapes {} and {}, needs equal ones; broadcast first", who, a.shape, b.shape);
}

[[noreturn, gnu::noinline]] void refuse_types(const View& a, const View& b, const char* who) {
  fail("{}: saw {} and {}, needs one element type; copy one to cast it", who, name_of(a.dtype),
       name_of(b.dtype));
}

[[noreturn, gnu::noinline]] void refuse_operands(Function f, size_t count) {
  if (static_cast<int>(count) != arity_of(f)) {
    fail("map: saw {} operands, needs {}", count, arity_of(f));
  }
  fail("map: saw i32 for function {}, needs f32 or f64; cast first", static_cast<int>(f));
}

void same_shape(const View& a, const View& b, const char* who) {
  if (!(a.shape == b.shape)) {
    refuse_shapes(a, b, who);
  }
}

bool is_f32_or_bf16(const View& view) {
  return view.dtype == DType::f32 || view.dtype == DType::bf16;
}

/// f32 and bf16 may meet: both are computed in f32.
void same_type(const View& a, const View& b, const char* who) {
  if (a.dtype != b.dtype && !(is_f32_or_bf16(a) && is_f32_or_bf16(b))) {
    refuse_types(a, b, who);
  }
}

}  // namespace

void contiguous(const View& view, const char* who) {
  if (!view.is_contiguous()) {
    fail("{}: saw {} with gaps, needs contiguous elements", who, to_string(view.shape));
  }
}

void copy(const View& to, const View& from) { same_shape(to, from, "copy"); }

void map(Function f, const View& out, std::span<const View> in) {
  if (static_cast<int>(in.size()) != arity_of(f) ||
      (out.dtype == DType::i32 && !works_on_integers(f))) {
    refuse_operands(f, in.size());
  }
  for (const View& operand : in) {
    same_shape(out, operand, "map");
    same_type(out, operand, "map");
  }
}

int reduce(Reduction reduction, const View& out, const View& in) {
  bool fits = out.rank() == in.rank();
  int reduced = 0;
  int axis = -1;
  for (int i = 0; fits && i < in.rank(); ++i) {
    const bool shrinks = out.shape[i] != in.shape[i];
    fits = !shrinks || out.shape[i] == 1;
    reduced += shrinks ? 1 : 0;
    axis = shrinks || (reduced == 0 && out.shape[i] == 1) ? i : axis;
  }
  if (!fits) {
    fail("reduce: saw {} reduced into {}, needs each axis kept or 1", to_string(in.shape),
         to_string(out.shape));
  }
  if (reduction != Reduction::argmax) {
    same_type(out, in, "reduce");
    return -1;
  }
  if (out.dtype != DType::i32 || reduced > 1 || axis < 0 || (in.numel() == 0 && out.numel() != 0)) {
    fail("argmax: saw {} {} from {}, needs i32 and one reduced axis that is not empty",
         name_of(out.dtype), to_string(out.shape), to_string(in.shape));
  }
  return axis;
}

void running_sum(const View& out, const View& in) {
  same_shape(out, in, "running_sum");
  same_type(out, in, "running_sum");
  if (out.rank() == 0) {
    fail("running_sum: saw a tensor without axes, needs one");
  }
}

void topk(const View& values, const View& indices, const View& in) {
  same_shape(values, indices, "topk");
  same_type(values, in, "topk");
  const bool fits = in.rank() > 0 && values.rank() == in.rank() && values.shape[-1] <= in.shape[-1];
  if (!fits || !(values.shape == in.shape.with(-1, values.shape[-1])) ||
      indices.dtype != DType::i32) {
    fail("topk: saw {} and {} indices from {}, needs at most as many as the last axis has",
         to_string(values.shape), name_of(indices.dtype), to_string(in.shape));
  }
}

void matmul(const View& out, const View& a, const View& b) {
  bool fits = out.rank() >= 2 && a.rank() == out.rank() && b.rank() == out.rank() &&
              out.shape[-2] == a.shape[-2] && out.shape[-1] == b.shape[-1] &&
              a.shape[-1] == b.shape[-2];
  for (int i = 0; fits && i + 2 < out.rank(); ++i) {
    fits = out.shape[i] == a.shape[i] && out.shape[i] == b.shape[i];
  }
  if (!fits) {
    fail("matmul: saw {} times {} into {}, needs […, m, k] times […, k, n] into […, m, n]",
         to_string(a.shape), to_string(b.shape), to_string(out.shape));
  }
  same_type(out, a, "matmul");
  same_type(out, b, "matmul");
  real(out.dtype, "matmul");
}

void gather(const View& rows, const View& table, const View& index, const char* who) {
  const bool fits = rows.rank() == 3 && table.rank() == 3 && index.rank() == 2 &&
                    rows.shape[0] == table.shape[0] && rows.shape[0] == index.shape[0] &&
                    rows.shape[1] == index.shape[1] && rows.shape[2] == table.shape[2];
  if (!fits || index.dtype != DType::i32) {
    fail("{}: saw rows {}, table {} and {} indices {}, needs [b, n, d], [b, r, d] and i32 [b, n]",
         who, to_string(rows.shape), to_string(table.shape), name_of(index.dtype),
         to_string(index.shape));
  }
  same_type(rows, table, who);
}

void random_rows(const View& to, const View& keys) {
  real(to.dtype, "random_rows");
  const bool fits = to.rank() == 3 && keys.rank() == 2 && keys.shape[0] == to.shape[0] &&
                    keys.shape[1] == 3 && to.shape[2] <= 1 << 24;
  if (!fits || keys.dtype != DType::i32) {
    fail("random_rows: saw {} and {} keys {}, needs [r, h, n] and i32 [r, 3]", to_string(to.shape),
         name_of(keys.dtype), to_string(keys.shape));
  }
}

void random(const View& to, const KernelKey& key) {
  real(to.dtype, "random");
  if (key.step.data != nullptr && (key.step.dtype != DType::i32 || !(key.step.shape == Shape{2}))) {
    fail("random: saw a step in {} {}, needs i32 [2]", name_of(key.step.dtype), key.step.shape);
  }
}

RandomKey read_key(const KernelKey& key) {
  if (key.step.data == nullptr) {
    return key.key;
  }
  const auto* words = key.step.as<int32_t>();
  const uint64_t step = join_words(static_cast<uint32_t>(words[0]),
                                   static_cast<uint32_t>(words[key.step.strides[0]]));
  return {key.key.seed, key.key.step + step, key.key.stream};
}

RandomKey key_of_row(const RandomKey& key, const View& keys, int64_t row) {
  const auto column = [&](int64_t c) {
    const int32_t* at = keys.as<int32_t>() + row * keys.strides[0] + c * keys.strides[1];
    return static_cast<uint32_t>(*at);
  };
  return {key.seed, join_words(column(0), column(1)), key.stream + join_words(0, column(2))};
}

void write_slots(const View& to, const View& rows, const View& at) {
  const bool fits = to.rank() == 4 && rows.rank() == 3 && at.rank() == 1 &&
                    to.shape[0] == rows.shape[0] && to.shape[1] == rows.shape[1] &&
                    to.shape[3] == rows.shape[2] && at.shape[0] == to.shape[0];
  if (!fits || at.dtype != DType::i32) {
    fail("write_slots: saw {}, rows {} and {} {}, needs [q, g, S, d], [q, g, d] and i32 [q]",
         to_string(to.shape), to_string(rows.shape), name_of(at.dtype), to_string(at.shape));
  }
  same_type(to, rows, "write_slots");
}

void reorder_rows(const View& rows, const View& parent) {
  const bool fits = rows.rank() == 3 && parent.rank() == 1 && parent.shape[0] <= rows.shape[0];
  if (!fits || parent.dtype != DType::i32) {
    fail("reorder_rows: saw rows {} and {} parents {}, needs [r, g, d] and i32 [q], q ≤ r",
         to_string(rows.shape), name_of(parent.dtype), to_string(parent.shape));
  }
}

void iota(const View& to) {
  if (to.rank() == 0) {
    fail("iota: saw a tensor without axes, needs one");
  }
}

void real(DType dtype, const char* who) {
  if (!is_real(dtype) && dtype != DType::bf16) {
    fail("{}: saw {}, needs f32 or f64; cast first", who, name_of(dtype));
  }
}

}  // namespace heed::checks
