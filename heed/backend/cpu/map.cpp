// out ← f(in…). Rows that are dense in every view go directly to the function's loop. Other rows
// are gathered into small blocks in the first-level cache, computed there and scattered. A
// broadcast operand fills its block once a row.
#include "heed/backend/cpu/map.h"

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"

namespace heed::cpu {
namespace {

constexpr int64_t block = 256;

template <class T>
void gather(T* to, const T* from, int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = from[i * stride];
  }
}

template <class T>
void scatter(T* to, int64_t stride, const T* from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i * stride] = from[i];
  }
}

/// One row of `count` elements; `data` and `stride` are those of out first, then of each operand.
template <size_t N, class T>
void map_row(DenseLoop<T> loop, const std::array<T*, N>& data, const Offsets<N>& stride,
             int64_t count, Scalars<T> s) {
  std::array<const T*, N - 1> in;
  std::copy(data.begin() + 1, data.end(), in.begin());
  if (std::all_of(stride.begin(), stride.end(), [](int64_t step) { return step == 1; })) {
    loop(data[0], in.data(), count, s);
    return;
  }
  T blocks[N][block];
  for (size_t n = 1; n < N; ++n) {
    if (stride[n] == 0) {
      std::fill_n(blocks[n], std::min(count, block), *data[n]);
    }
  }
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t width = std::min(block, count - begin);
    for (size_t n = 1; n < N; ++n) {
      const T* from = data[n] + begin * stride[n];
      in[n - 1] = stride[n] == 1 ? from : blocks[n];
      if (stride[n] != 0 && stride[n] != 1) {
        gather(blocks[n], from, stride[n], width);
      }
    }
    T* to = data[0] + begin * stride[0];
    loop(stride[0] == 1 ? to : blocks[0], in.data(), width, s);
    if (stride[0] != 1) {
      scatter(to, stride[0], blocks[0], width);
    }
  }
}

template <size_t N, class T>
void map_views(DenseLoop<T> loop, std::array<View, N> views, Scalars<T> s) {
  order_axes(views);
  const Segments<N> segments = segments_of(views);
  each_range(segments.count(), grain, [&](int64_t begin, int64_t end) {
    each_segment(segments, begin, end, [&](const Offsets<N>& at, int64_t count) {
      std::array<T*, N> data;
      for (size_t n = 0; n < N; ++n) {
        data[n] = views[n].template as<T>() + at[n];
      }
      map_row<N, T>(loop, data, segments.inner, count, s);
    });
  });
}

/// For dense views, which are one long row.
template <class T>
void map_dense(DenseLoop<T> loop, const View& out, std::span<const View> in, Scalars<T> s) {
  const auto run = [&](int64_t begin, int64_t end) {
    std::array<const T*, 3> data{};
    for (size_t n = 0; n < in.size(); ++n) {
      data[n] = in[n].as<T>() + begin;
    }
    loop(out.as<T>() + begin, data.data(), end - begin, s);
  };
  const int64_t count = out.numel();
  count <= grain ? run(0, count) : each_range(count, grain, run);
}

/// Not inlined, because its blocks would enlarge the stack frame of every call.
template <class T>
[[gnu::noinline]] void map_strided(DenseLoop<T> loop, const View& out, std::span<const View> in,
                                   Scalars<T> s) {
  switch (in.size()) {
    case 1:
      return map_views<2, T>(loop, {out, in[0]}, s);
    case 2:
      return map_views<3, T>(loop, {out, in[0], in[1]}, s);
    default:
      return map_views<4, T>(loop, {out, in[0], in[1], in[2]}, s);
  }
}

template <class T>
void map_any(DenseLoop<T> loop, const View& out, std::span<const View> in, MapScalars scalars) {
  const Scalars<T> s{static_cast<T>(scalars.a), static_cast<T>(scalars.b)};
  bool is_dense = out.is_contiguous();
  for (size_t n = 0; is_dense && n < in.size(); ++n) {
    is_dense = in[n].is_contiguous();
  }
  is_dense ? map_dense<T>(loop, out, in, s) : map_strided<T>(loop, out, in, s);
}

}  // namespace

void map(Function f, const View& out, std::span<const View> in, MapScalars scalars) {
  if (out.dtype == DType::i32) {
    return map_any(integer_loop(f), out, in, scalars);
  }
  const auto loop = in.size() == 1   ? unary_loop(f)
                    : in.size() == 2 ? binary_loop(f)
                                     : ternary_loop(f);
  map_any(loop, out, in, scalars);
}

}  // namespace heed::cpu
