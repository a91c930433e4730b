// Copies with casts, and fills. Whole numbers from floats are cut towards zero and held within
// their range; NaN gives 0.
#include <cmath>
#include <limits>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/segments.h"
#include "heed/backend/cpu/verbs.h"

namespace heed::cpu {
namespace {

template <class To, class From>
To cast(From x) {
  if constexpr (std::is_same_v<To, int32_t> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<int32_t>;
    constexpr auto low = static_cast<From>(Limits::min());  // a power of two: exact
    if (x != x) {
      return 0;
    }
    return x <= low ? Limits::min() : x >= -low ? Limits::max() : static_cast<int32_t>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
void copy_row(To* to, int64_t to_stride, const From* from, int64_t from_stride, int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::transform(from, from + count, to, cast<To, From>);
  } else if (to_stride == 1 && from_stride == 0) {
    std::fill_n(to, count, cast<To, From>(*from));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i * to_stride] = cast<To, From>(from[i * from_stride]);
    }
  }
}

template <class To, class From>
void copy_views(std::array<View, 2> views) {
  order_axes(views);
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
  order_axes(to);
  const Segments<1> segments = segments_of(to);
  each_range(segments.count(), grain, [&](int64_t begin, int64_t end) {
    each_segment(segments, begin, end, [&](const Offsets<1>& at, int64_t count) {
      copy_row(to[0].as<T>() + at[0], segments.inner[0], &value, 0, count);
    });
  });
}

}  // namespace

void copy(const View& to, const View& from) {
  if (to.dtype == DType::f32 && from.dtype == DType::f32) {
    copy_views<float, float>({to, from});
  } else if (to.dtype == DType::f32) {
    copy_views<float, int32_t>({to, from});
  } else if (from.dtype == DType::f32) {
    copy_views<int32_t, float>({to, from});
  } else {
    copy_views<int32_t, int32_t>({to, from});
  }
}

void fill(const View& to, double value) {
  if (to.dtype == DType::i32) {
    fill_view<int32_t>({to}, cast<int32_t>(value));
  } else {
    fill_view<float>({to}, static_cast<float>(value));
  }
}

}  // namespace heed::cpu
