// Copies with casts, and fills. Floats become whole numbers by rounding towards zero, limited to
// their range; NaN becomes 0.
#include <algorithm>
#include <array>
#include <type_traits>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"
#include "heed/device/convert.h"
#include "heed/device/kernel/copies.h"

namespace heed::cpu {
namespace {

template <class To, class From>
void copy_row(To* to, int64_t to_stride, const From* from, int64_t from_stride, int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::transform(from, from + count, to, converted<To, From>);
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, count, converted<To, From>(*from));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i * to_stride] = converted<To, From>(from[i * from_stride]);
    }
  }
}

constexpr int64_t tile = 32;  // two squares of this side fit the first-level cache

/// If `to` is dense along its last axis and `from` along another axis, that other axis: the copy is
/// a transposition. −1 otherwise.
int turned_axis(const View& to, const View& from) {
  const int last = to.rank() - 1;
  if (last < 1 || to.strides[last] != 1 || from.strides[last] == 1 || to.shape[last] < 4) {
    return -1;
  }
  for (int axis = last - 1; axis >= 0; --axis) {
    if (from.strides[axis] == 1 && to.shape[axis] >= 4) {
      return axis;
    }
  }
  return -1;
}

/// Transposes a matrix square by square, each within the cache.
template <class To, class From>
void copy_turned(std::array<View, 2> views, int axis) {
  const int last = views[0].rank() - 1;
  const int64_t rows = views[0].shape[axis];
  const int64_t columns = views[0].shape[last];
  const int64_t down = views[0].strides[axis];
  const int64_t across = views[1].strides[last];
  std::array<View, 2> starts = views;
  for (View& start : starts) {
    start.shape[axis] = 1;
    start.shape[last] = 1;
  }
  const Segments<2> matrices = segments_of(starts);
  const int64_t stripes = pieces_of(rows, tile);
  const auto turn = [&](To* to, const From* from, int64_t count) {
    for (int64_t first = 0; first < columns; first += tile) {
      const int64_t width = std::min(tile, columns - first);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t j = first; j < first + width; ++j) {
          to[i * down + j] = converted<To, From>(from[i + j * across]);
        }
      }
    }
  };
  each_range(matrices.count() * stripes, units_per_chunk(tile * columns),
             [&](int64_t begin, int64_t end) {
               for (int64_t unit = begin; unit < end; ++unit) {
                 const int64_t matrix = unit / stripes;
                 const int64_t first = unit % stripes * tile;
                 each_segment(matrices, matrix, matrix + 1, [&](const Offsets<2>& at, int64_t) {
                   turn(views[0].as<To>() + at[0] + first * down,
                        views[1].as<From>() + at[1] + first, std::min(tile, rows - first));
                 });
               }
             });
}

template <class To, class From>
void copy_views(std::array<View, 2> views) {
  if (views[0].is_contiguous() && views[1].is_contiguous()) {
    each_range(views[0].numel(), grain, [&](int64_t begin, int64_t end) {
      copy_row(views[0].as<To>() + begin, 1, views[1].as<From>() + begin, 1, end - begin);
    });
    return;
  }
  order_axes(views);
  merge_axes(views);
  if (const int axis = turned_axis(views[0], views[1]); axis >= 0) {
    return copy_turned<To, From>(views, axis);
  }
  const Segments<2> segments = segments_of(views);
  each_range(segments.count(), grain, [&](int64_t begin, int64_t end) {
    each_segment(segments, begin, end, [&](const Offsets<2>& at, int64_t count) {
      copy_row(views[0].as<To>() + at[0], segments.inner[0], views[1].as<From>() + at[1],
               segments.inner[1], count);
    });
  });
}

template <class T>
void fill_view(std::array<View, 1> to, T value) {
  if (to[0].is_contiguous()) {
    each_range(to[0].numel(), grain, [&](int64_t begin, int64_t end) {
      std::fill_n(to[0].as<T>() + begin, end - begin, value);
    });
    return;
  }
  order_axes(to);
  const Segments<1> segments = segments_of(to);
  each_range(segments.count(), grain, [&](int64_t begin, int64_t end) {
    each_segment(segments, begin, end, [&](const Offsets<1>& at, int64_t count) {
      copy_row(to[0].as<T>() + at[0], segments.inner[0], &value, 0, count);
    });
  });
}

/// Calls `body(T{})` with a type of this backend.
template <class Body>
void with_stored_type(DType dtype, const Body& body) {
  if (dtype == DType::i32) {
    body(int32_t{});
  } else if (dtype == DType::f32) {
    body(float{});
  } else {
    with_any_type(dtype, [&](auto element) {
      if constexpr (!std::is_same_v<decltype(element), double>) {
        body(element);
      }
    });
  }
}

}  // namespace

void copy(const View& to, const View& from) {
  if (to.dtype == from.dtype && is_half(to.dtype)) {  // the two bytes are copied unchanged
    return copy_views<uint16_t, uint16_t>({to, from});
  }
  with_stored_type(to.dtype, [&](auto target) {
    with_stored_type(from.dtype, [&](auto source) {
      if constexpr (!(std::is_same_v<decltype(target), decltype(source)> && sizeof(target) == 2)) {
        copy_views<decltype(target), decltype(source)>({to, from});
      }
    });
  });
}

void fill(const View& to, double value) {
  with_stored_type(to.dtype, [&](auto target) {
    using T = decltype(target);
    fill_view<T>({to}, converted<T>(value));
  });
}

bool copy_all(Backend& backend, const Copies& call) {
  for (const CopyPair& pair : call.pairs) {
    backend.copy(pair.to, pair.from);
  }
  return true;
}

}  // namespace heed::cpu
