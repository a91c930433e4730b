// Running sums along the last axis, one row after the other.
#include <type_traits>

#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {

void running_sum(const View& out, const View& in, SumFrom from) {
  const int last = in.rank() - 1;
  const int64_t length = in.shape[last];
  with_type(in.dtype, [&](auto element) {
    using T = decltype(element);
    using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int64_t, double>;
    walk<2>(in.shape.with(last, 1), {out.strides, in.strides}, [&](const Offsets<2>& at) {
      Wide total = 0;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t j = from == SumFrom::begin ? i : length - 1 - i;
        total += static_cast<Wide>(in.as<T>()[at[1] + j * in.strides[last]]);
        out.as<T>()[at[0] + j * out.strides[last]] = static_cast<T>(total);
      }
    });
  });
}

}  // namespace heed::reference
