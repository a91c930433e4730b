// Running sums along the last axis, in double. Rows are computed in parallel; within a row each sum
// needs the one before it.
#include <type_traits>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/segments.h"

namespace heed::cpu {
namespace {

template <class T>
void sum_row(T* out, int64_t out_stride, const T* in, int64_t in_stride, int64_t length) {
  using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int64_t, double>;
  Wide total = 0;
  for (int64_t j = 0; j < length; ++j) {
    total += static_cast<Wide>(in[j * in_stride]);
    out[j * out_stride] = static_cast<T>(total);
  }
}

}  // namespace

void running_sum(const View& out, const View& in, SumFrom from) {
  const int last = in.rank() - 1;
  const int64_t length = in.shape[last];
  const int64_t way = from == SumFrom::begin ? 1 : -1;
  const int64_t first = from == SumFrom::begin ? 0 : length - 1;
  View to_rows = out;
  View from_rows = in;
  to_rows.shape[last] = from_rows.shape[last] = 1;
  const Segments<2> rows = segments_of<2>({to_rows, from_rows});
  if (length == 0) {
    return;
  }
  const auto run = [&](auto element) {
    using T = decltype(element);
    each_range(rows.count(), units_per_chunk(length), [&](int64_t begin, int64_t end) {
      each_segment(rows, begin, end, [&](const Offsets<2>& at, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          sum_row(out.as<T>() + at[0] + i * rows.inner[0] + first * out.strides[last],
                  way * out.strides[last],
                  in.as<T>() + at[1] + i * rows.inner[1] + first * in.strides[last],
                  way * in.strides[last], length);
        }
      });
    });
  };
  in.dtype == DType::i32 ? run(int32_t{}) : run(float{});
}

}  // namespace heed::cpu
