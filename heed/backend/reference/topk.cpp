// The k largest of each row by a stable sort: ties go to the lower index, NaN counts as the
// largest.
#include <algorithm>
#include <numeric>
#include <vector>

#include "heed/backend/reference/order.h"
#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {

void topk(const View& values, const View& indices, const View& in) {
  const int last = in.rank() - 1;
  const int64_t k = values.shape[last];
  std::vector<int32_t> order(static_cast<size_t>(in.shape[last]));
  with_type(in.dtype, [&](auto element) {
    using T = decltype(element);
    walk<3>(in.shape.with(last, 1), {values.strides, indices.strides, in.strides},
            [&](const Offsets<3>& at) {
              const auto x = [&](int64_t i) { return in.as<T>()[at[2] + i * in.strides[last]]; };
              std::iota(order.begin(), order.end(), 0);
              std::stable_sort(order.begin(), order.end(),
                               [&](int32_t i, int32_t j) { return is_above(x(i), x(j)); });
              for (int64_t i = 0; i < k; ++i) {
                const int32_t place = order[static_cast<size_t>(i)];
                values.as<T>()[at[0] + i * values.strides[last]] = x(place);
                indices.as<int32_t>()[at[1] + i * indices.strides[last]] = place;
              }
            });
  });
}

}  // namespace heed::reference
