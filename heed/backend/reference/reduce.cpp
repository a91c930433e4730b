// Reductions: out[…, 1, …] ← Σ, max or argmax over the axes that are 1 in out. NaN counts as the
// largest. An empty sum is 0, an empty maximum −∞ (the lowest whole number).
#include <limits>
#include <vector>

#include "heed/backend/reference/order.h"
#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {
namespace {

/// Calls body(index of the result, element) for every element of `in`.
template <class T, class Body>
void each(const View& out, const View& in, const Body& body) {
  const View results = broadcast_to(dense_view(nullptr, out.dtype, out.shape), in.shape);
  walk<2>(in.shape, {in.strides, results.strides},
          [&](const Offsets<2>& at) { body(static_cast<size_t>(at[1]), in.as<T>()[at[0]]); });
}

template <class T, class Value>
void write(const View& out, const std::vector<Value>& results) {
  walk<2>(out.shape, {out.strides, dense_strides(out.shape)}, [&](const Offsets<2>& at) {
    out.as<T>()[at[0]] = static_cast<T>(results[static_cast<size_t>(at[1])]);
  });
}

}  // namespace

void sum(const View& out, const View& in) {
  with_type(in.dtype, [&](auto element) {
    using T = decltype(element);
    using Wide = std::conditional_t<std::is_same_v<T, int32_t>, int64_t, double>;
    std::vector<Wide> total(static_cast<size_t>(out.numel()));
    each<T>(out, in, [&](size_t result, T x) { total[result] += static_cast<Wide>(x); });
    write<T>(out, total);
  });
}

void max(const View& out, const View& in) {
  with_type(in.dtype, [&](auto element) {
    using T = decltype(element);
    using Limits = std::numeric_limits<T>;
    std::vector<T> most(static_cast<size_t>(out.numel()),
                        Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
    each<T>(out, in, [&](size_t result, T x) {
      if (is_above(x, most[result])) {
        most[result] = x;
      }
    });
    write<T>(out, most);
  });
}

void argmax(const View& out, const View& in, int axis) {
  with_type(in.dtype, [&](auto element) {
    using T = decltype(element);
    walk<2>(out.shape, {out.strides, in.strides}, [&](const Offsets<2>& at) {
      const T* row = in.as<T>() + at[1];
      int32_t best = 0;
      for (int64_t i = 1; i < in.shape[axis]; ++i) {
        if (is_above(row[i * in.strides[axis]], row[best * in.strides[axis]])) {
          best = static_cast<int32_t>(i);
        }
      }
      out.as<int32_t>()[at[0]] = best;
    });
  });
}

}  // namespace heed::reference
