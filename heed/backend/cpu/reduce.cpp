// Sums and maxima over any axes. The inner axis is the one with the smallest stride.
//
//   inner axis reduced:  each result is a sum of rows; 16 lanes a row, then the lanes in order
//   inner axis kept:     rows are added lane by lane to a row of results
//
// Long sums are cut into parts by shape only, and the parts are joined in order and in double, so
// that the bits do not depend on the threads. NaN counts as the largest.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/reduce.cpp"
#include <hwy/foreach_target.h>

#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/row_reduce.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// The axes of a reduction: which are kept, which are reduced, and the inner one.
struct Axes {
  Segments<2> kept;     // offsets in out and in; rows of one result
  Segments<1> reduced;  // offsets in `in`
  bool inner_is_reduced = false;
  int64_t length = 1;      // of the inner axis
  int64_t in_stride = 0;   // along it
  int64_t out_stride = 0;  // 0 where it is reduced
};

View without_axis(View view, int axis) {
  view.shape.erase(axis);
  std::move(view.strides.begin() + axis + 1, view.strides.end(), view.strides.begin() + axis);
  return view;
}

Axes axes_of(const View& out, const View& in) {
  std::array<View, 2> views{broadcast_to(out, in.shape), in};
  merge_axes(views);
  Axes axes;
  View& to = views[0];
  View& from = views[1];
  if (in.rank() > 0 && from.rank() > 0) {
    int inner = from.rank() - 1;
    for (int i = inner - 1; i >= 0; --i) {
      const bool nearer = std::abs(from.strides[i]) < std::abs(from.strides[inner]);
      inner = from.strides[i] != 0 && (nearer || from.strides[inner] == 0) ? i : inner;
    }
    axes.length = from.shape[inner];
    axes.in_stride = from.strides[inner];
    axes.out_stride = to.strides[inner];
    axes.inner_is_reduced = axes.out_stride == 0;
    to = without_axis(to, inner);
    from = without_axis(from, inner);
  } else {
    axes.inner_is_reduced = true;
  }
  // An axis is reduced if out has stride 0 along it; the inner one is treated separately.
  View reduced = from;
  for (int i = from.rank() - 1; i >= 0; --i) {
    if (to.strides[i] == 0) {
      to = without_axis(to, i);
      from = without_axis(from, i);
    } else {
      reduced = without_axis(reduced, i);
    }
  }
  axes.kept = segments_of<2>({to, from});
  axes.reduced = segments_of<1>({reduced});
  return axes;
}

/// Calls body(offset in out, offset in in, which) for results [begin, end).
template <class Body>
void each_result(const Axes& axes, int64_t begin, int64_t end, const Body& body) {
  int64_t which = begin;
  each_segment(axes.kept, begin, end, [&](const Offsets<2>& at, int64_t count) {
    for (int64_t i = 0; i < count; ++i, ++which) {
      body(at[0] + i * axes.kept.inner[0], at[1] + i * axes.kept.inner[1], which);
    }
  });
}

/// Reduces rows [begin, end) of `axes.reduced` × the inner axis from x on.
template <class Op, class T>
typename Op::template Wide<T> reduce_rows(const Axes& axes, const T* x, int64_t begin,
                                          int64_t end) {
  using Wide = typename Op::template Wide<T>;
  Wide total = Op::template start<Wide>();
  each_segment(axes.reduced, begin, end, [&](const Offsets<1>& at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      total = Op::join(total, reduce_row<Op>(x + at[0] + i * axes.reduced.inner[0], axes.in_stride,
                                             axes.length));
    }
  });
  return total;
}

/// One result from a single long row, whose parts are reduced in parallel.
template <class Op, class T>
void reduce_long_row(const Axes& axes, T* out, const T* in) {
  using Wide = typename Op::template Wide<T>;
  std::vector<Wide> parts(static_cast<size_t>(pieces_of(axes.length, grain)));
  each_range(axes.length, grain, [&](int64_t begin, int64_t end) {
    parts[static_cast<size_t>(begin / grain)] =
        reduce_row<Op>(in + begin * axes.in_stride, axes.in_stride, end - begin);
  });
  Wide total = Op::template start<Wide>();
  for (const Wide part : parts) {
    total = Op::join(total, part);
  }
  *out = static_cast<T>(total);
}

template <class Op, class T>
void reduce_along_inner(const Axes& axes, T* out, const T* in) {
  const int64_t results = axes.kept.count();
  const int64_t rows = axes.reduced.count();
  if (results == 1 && rows == 1 && axes.length > grain) {
    return reduce_long_row<Op>(axes, out, in);
  }
  // A part of a result has as many rows as make a chunk.
  const int64_t rows_a_part = units_per_chunk(axes.length);
  const int64_t parts = pieces_of(rows, rows_a_part);
  if (parts <= 1) {
    return each_range(results, units_per_chunk(rows * axes.length),
                      [&](int64_t begin, int64_t end) {
                        each_result(axes, begin, end, [&](int64_t to, int64_t from, int64_t) {
                          out[to] = static_cast<T>(reduce_rows<Op>(axes, in + from, 0, rows));
                        });
                      });
  }
  using Wide = typename Op::template Wide<T>;
  std::vector<Wide> partial(static_cast<size_t>(results * parts));
  parallel_for(results * parts, [&](int64_t chunk) {
    const int64_t which = chunk / parts;
    const int64_t begin = chunk % parts * rows_a_part;
    each_result(axes, which, which + 1, [&](int64_t, int64_t from, int64_t) {
      partial[static_cast<size_t>(chunk)] =
          reduce_rows<Op>(axes, in + from, begin, std::min(rows, begin + rows_a_part));
    });
  });
  each_result(axes, 0, results, [&](int64_t to, int64_t, int64_t which) {
    Wide total = Op::template start<Wide>();
    for (int64_t part = 0; part < parts; ++part) {
      total = Op::join(total, partial[static_cast<size_t>(which * parts + part)]);
    }
    out[to] = static_cast<T>(total);
  });
}

constexpr int64_t columns_a_block = 1024;

/// acc_j ← acc_j ∘ x_j for a row.
template <class Op, class T>
void join_row(T* acc, const T* x, int64_t stride, int64_t width) {
  if (stride == 1) {
#pragma omp simd
    for (int64_t j = 0; j < width; ++j) {
      acc[j] = Op::join(acc[j], x[j]);
    }
    return;
  }
  for (int64_t j = 0; j < width; ++j) {
    acc[j] = Op::join(acc[j], x[j * stride]);
  }
}

/// Rows [begin, end) of `axes.reduced` from x on into acc, `width` columns.
template <class Op, class T>
void join_rows(const Axes& axes, const T* x, int64_t begin, int64_t end, std::span<T> acc) {
  const auto width = static_cast<int64_t>(acc.size());
  std::fill(acc.begin(), acc.end(), Op::template start<T>());
  each_segment(axes.reduced, begin, end, [&](const Offsets<1>& at, int64_t count) HWY_ATTR {
    const int64_t down = axes.reduced.inner[0];
    const T* row = x + at[0];
    int64_t i = 0;
    for (; axes.in_stride == 1 && i + 4 <= count; i += 4, row += 4 * down) {
#pragma omp simd
      for (int64_t j = 0; j < width; ++j) {
        acc[j] =
            Op::join(Op::join(Op::join(Op::join(acc[j], row[j]), row[j + down]), row[j + 2 * down]),
                     row[j + 3 * down]);
      }
    }
    for (; i < count; ++i, row += down) {
      join_row<Op>(acc.data(), row, axes.in_stride, width);
    }
  });
}

template <class Op, class T>
void reduce_across_inner(const Axes& axes, T* out, const T* in) {
  const int64_t results = axes.kept.count();
  const int64_t rows = axes.reduced.count();
  const int64_t width = std::min(axes.length, columns_a_block);
  const int64_t blocks = pieces_of(axes.length, width);
  const int64_t rows_a_part = std::max<int64_t>(64, units_per_chunk(width));
  const int64_t parts = std::max<int64_t>(1, pieces_of(rows, rows_a_part));
  // A unit is (result, block of columns, part of the rows); the parts of a block are consecutive.
  std::vector<T> partial(static_cast<size_t>(parts > 1 ? results * parts * axes.length : 0));
  const auto columns_of = [&](int64_t block) {
    return std::min(width, axes.length - block * width);
  };
  const int64_t units = results * blocks * parts;
  each_range(
      units, units_per_chunk(std::min(rows, rows_a_part) * width), [&](int64_t begin, int64_t end) {
        T local[columns_a_block];
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t which = unit / (blocks * parts);
          const int64_t block = unit / parts % blocks;
          const int64_t first = unit % parts * rows_a_part;
          const std::span<T> acc(local, static_cast<size_t>(columns_of(block)));
          each_result(axes, which, which + 1, [&](int64_t to, int64_t from, int64_t) {
            join_rows<Op, T>(axes, in + from + block * width * axes.in_stride, first,
                             std::min(rows, first + rows_a_part), acc);
            for (size_t j = 0; parts == 1 && j < acc.size(); ++j) {
              out[to + (block * width + static_cast<int64_t>(j)) * axes.out_stride] = acc[j];
            }
          });
          if (parts > 1) {
            const int64_t place = (which * parts + unit % parts) * axes.length + block * width;
            std::copy(acc.begin(), acc.end(), partial.begin() + place);
          }
        }
      });
  if (parts == 1) {
    return;
  }
  using Wide = typename Op::template Wide<T>;
  each_range(results * axes.length, units_per_chunk(parts), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t which = i / axes.length;
      const T* x = partial.data() + which * parts * axes.length + i % axes.length;
      Wide total = Op::template start<Wide>();
      for (int64_t part = 0; part < parts; ++part) {
        total = Op::join(total, static_cast<Wide>(x[part * axes.length]));
      }
      each_result(axes, which, which + 1, [&](int64_t to, int64_t, int64_t) {
        out[to + i % axes.length * axes.out_stride] = static_cast<T>(total);
      });
    }
  });
}

template <class Op>
void reduce_views(const View& out, const View& in) {
  if (out.numel() == 0) {
    return;
  }
  const auto run = [&](auto element) {
    using T = decltype(element);
    if (in.numel() == 0) {
      return fill(out, static_cast<double>(Op::template start<T>()));
    }
    const Axes axes = axes_of(out, in);
    axes.inner_is_reduced ? reduce_along_inner<Op>(axes, out.as<T>(), in.as<T>())
                          : reduce_across_inner<Op>(axes, out.as<T>(), in.as<T>());
  };
  in.dtype == DType::i32 ? run(int32_t{}) : run(float{});
}

void sum_views(const View& out, const View& in) { reduce_views<Sum>(out, in); }

void max_views(const View& out, const View& in) { reduce_views<Max>(out, in); }

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(sum_views);
HWY_EXPORT(max_views);

void sum(const View& out, const View& in) { HWY_DYNAMIC_DISPATCH(sum_views)(out, in); }

void max(const View& out, const View& in) { HWY_DYNAMIC_DISPATCH(max_views)(out, in); }

}  // namespace heed::cpu
#endif
