// The largest of a row, or the k largest; ties go to the lower index, NaN counts as the largest.
#include <numeric>
#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/row_reduce.h"
#include "heed/backend/cpu/segments.h"

namespace heed::cpu {
namespace {

template <class T>
bool is_above(T x, T y) {
  return x > y || (x != x && y == y);
}

template <class T>
struct Row {
  const T* data;
  int64_t stride;
  T operator[](int64_t i) const { return data[i * stride]; }
};

/// The first index of the largest element of a dense row: its value is found first, by lanes, then
/// its index.
template <class T>
int32_t largest_dense(const T* row, int64_t n) {
  const T most = reduce_row<Max>(row, 1, n);
  const T* found = most == most ? std::find(row, row + n, most)
                                : std::find_if(row, row + n, [](T x) { return x != x; });
  return static_cast<int32_t>(found - row);
}

template <class T>
int32_t largest(Row<T> row, int64_t n) {
  if (row.stride == 1) {
    return largest_dense(row.data, n);
  }
  int64_t best = 0;
  T most = row[0];
  for (int64_t i = 1; i < n; ++i) {
    if (is_above(row[i], most)) {
      most = row[i];
      best = i;
    }
  }
  return static_cast<int32_t>(best);
}

constexpr int64_t stretch = 128;  // elements that are skipped at once

/// Finds the stretches of a row that can hold one of its k largest. At least k elements reach the
/// k-th largest of the stretches' maxima, so a stretch whose maximum is smaller holds none of them.
template <class T>
class Stretches {
 public:
  void read(Row<T> row, int64_t n, int64_t k) {
    maxima_.clear();
    const int64_t count = row.stride == 1 ? n / stretch : 0;
    if (count <= 2 * k) {
      return;  // hardly any could be skipped
    }
    for (int64_t i = 0; i < count; ++i) {
      maxima_.push_back(reduce_row<Max>(row.data + i * stretch, 1, stretch));
    }
    sorted_ = maxima_;
    const auto before = [](T x, T y) { return is_above(x, y); };
    std::nth_element(sorted_.begin(), sorted_.begin() + (k - 1), sorted_.end(), before);
    bound_ = sorted_[static_cast<size_t>(k - 1)];
  }
  /// Whether none of the k largest is in the stretch that begins at `at`.
  bool can_pass(int64_t at) const {
    const auto i = static_cast<size_t>(at / stretch);
    return i < maxima_.size() && is_above(bound_, maxima_[i]);
  }

 private:
  std::vector<T> maxima_;
  std::vector<T> sorted_;
  T bound_{};
};

/// Writes the indices of the k largest to the first k of `order`. A small k is kept sorted while
/// the row is read; a large k is selected, then sorted.
template <class T>
void largest_k(Row<T> row, int64_t n, int64_t k, std::vector<int32_t>& order,
               Stretches<T>& stretches) {
  constexpr int64_t few = 32;
  const auto before = [&](int32_t i, int32_t j) {
    return is_above(row[i], row[j]) || (i < j && !is_above(row[j], row[i]));
  };
  if (k > few) {
    order.resize(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::nth_element(order.begin(), order.begin() + (k - 1), order.end(), before);
    std::sort(order.begin(), order.begin() + k, before);
    return;
  }
  order.clear();
  stretches.read(row, n, k);
  for (int64_t at = 0; at < n; ++at) {
    const auto i = static_cast<int32_t>(at);
    if (at % stretch == 0 && stretches.can_pass(at)) {
      at += stretch - 1;
      continue;
    }
    const auto kept = static_cast<int64_t>(order.size());
    if (kept == k && !is_above(row[i], row[order.back()])) {
      continue;
    }
    if (kept == k) {
      order.pop_back();
    }
    order.insert(std::upper_bound(order.begin(), order.end(), i, before), i);
  }
}

template <class T>
void topk_rows(const View& values, const View& indices, const View& in) {
  const int last = in.rank() - 1;
  const int64_t k = values.shape[last];
  const Shape rows = in.shape.with(last, 1);
  const auto one = [&](View view) {
    view.shape = rows;
    return view;
  };
  const Segments<3> segments = segments_of<3>({one(values), one(indices), one(in)});
  if (k == 0) {
    return;
  }
  each_range(segments.count(), units_per_chunk(in.shape[last]), [&](int64_t begin, int64_t end) {
    std::vector<int32_t> order;
    Stretches<T> stretches;
    each_segment(segments, begin, end, [&](Offsets<3> at, int64_t count) {
      for (int64_t r = 0; r < count; ++r) {
        const Row<T> row{in.as<T>() + at[2], in.strides[last]};
        largest_k(row, in.shape[last], k, order, stretches);
        for (int64_t i = 0; i < k; ++i) {
          const int32_t place = order[static_cast<size_t>(i)];
          values.as<T>()[at[0] + i * values.strides[last]] = row[place];
          indices.as<int32_t>()[at[1] + i * indices.strides[last]] = place;
        }
        for (size_t n = 0; n < 3; ++n) {
          at[n] += segments.inner[n];
        }
      }
    });
  });
}

template <class T>
void argmax_rows(const View& out, const View& in, int axis) {
  View rows = in;
  rows.shape = out.shape;
  const Segments<2> segments = segments_of<2>({out, rows});
  const int64_t n = in.shape[axis];
  each_range(segments.count(), units_per_chunk(n), [&](int64_t begin, int64_t end) {
    each_segment(segments, begin, end, [&](const Offsets<2>& at, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const Row<T> row{in.as<T>() + at[1] + i * segments.inner[1], in.strides[axis]};
        out.as<int32_t>()[at[0] + i * segments.inner[0]] = largest(row, n);
      }
    });
  });
}

}  // namespace

void argmax(const View& out, const View& in, int axis) {
  in.dtype == DType::i32 ? argmax_rows<int32_t>(out, in, axis) : argmax_rows<float>(out, in, axis);
}

void topk(const View& values, const View& indices, const View& in) {
  in.dtype == DType::i32 ? topk_rows<int32_t>(values, indices, in)
                         : topk_rows<float>(values, indices, in);
}

}  // namespace heed::cpu
