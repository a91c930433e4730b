#include "heed/ops/slice.h"

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor slice(const Tensor& x, int axis, int64_t begin, int64_t count, int64_t step) {
  const Tensor y = x.seen_as(sliced(x.view(), axis, begin, count, step));
  return record(y, {x}, [=](Gradients& g) {
    const Tensor dx = g.into(0);
    const Tensor part = dx.seen_as(sliced(dx.view(), axis, begin, count, step));
    map_into(part, function<fn::Add>, {part, g.of(0)});
  });
}

std::vector<Tensor> split(const Tensor& x, int axis, std::span<const int64_t> sizes) {
  axis = checked_axis(axis, x.rank(), "split");
  std::vector<Tensor> pieces;
  pieces.reserve(sizes.size());
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    pieces.push_back(slice(x, axis, begin, size));
    begin += size;
  }
  require(begin == x.size(axis), "split: saw sizes that sum to {}, needs {}", begin, x.size(axis));
  return pieces;
}

std::vector<Tensor> split(const Tensor& x, int axis, std::initializer_list<int64_t> sizes) {
  return split(x, axis, std::span(sizes.begin(), sizes.size()));
}

}  // namespace heed
