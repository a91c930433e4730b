// Σ x² of all tensors in one pass. A partial sum has `span_of_sum` elements. Each of its parts is
// squared and summed on one thread, in the caches, and the parts are added in order and in double.
#include "heed/device/kernel/square_sums.h"

#include <vector>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/row_reduce.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"

namespace heed::cpu {
namespace {

constexpr int64_t span_of_sum = 8 * grain;  // elements of one partial sum

/// Σ x² of [begin, end), at most `grain` elements.
double sum_of_squares(const float* x, int64_t begin, int64_t end) {
  thread_local ScratchBuffer buffer;
  float* squares = buffer.of<float>(grain);
  const int64_t count = end - begin;
  const View part = dense_view(const_cast<float*>(x) + begin, DType::f32, {count});
  const View operands[] = {part, part};
  map(function<fn::Multiply>, dense_view(squares, DType::f32, {count}), operands, {});
  return row_sum(squares, count);
}

}  // namespace

void square_sums(const SquareSums& call) {
  std::vector<int64_t> sizes;
  std::vector<size_t> firsts;  // of the parts of each tensor
  size_t parts = 0;
  for (size_t t = 0; t < call.tensors.size(); ++t) {
    const View& x = call.tensors[t];
    require(x.is_contiguous() && x.dtype == DType::f32, "square sums: saw {} {}, needs dense f32",
            name_of(x.dtype), to_string(x.shape));
    sizes.push_back(x.numel());
    firsts.push_back(parts);
    parts += static_cast<size_t>(pieces_of(x.numel(), grain));
    if (call.counts != nullptr) {
      call.counts[t] = pieces_of(x.numel(), span_of_sum);
    }
  }
  if (call.sums.data == nullptr) {
    return;
  }
  std::vector<double> sums(parts);
  each_range_of(sizes, grain, [&](int64_t which, int64_t begin, int64_t end) {
    const auto t = static_cast<size_t>(which);
    sums[firsts[t] + static_cast<size_t>(begin / grain)] =
        sum_of_squares(call.tensors[t].as<float>(), begin, end);
  });
  float* out = call.sums.as<float>();
  for (size_t t = 0; t < sizes.size(); ++t) {
    const double* part = sums.data() + firsts[t];
    for (int64_t left = pieces_of(sizes[t], grain); left > 0; left -= span_of_sum / grain) {
      double total = 0;
      for (int64_t i = 0; i < std::min(left, span_of_sum / grain); ++i) {
        total += *part++;
      }
      *out++ = static_cast<float>(total);
    }
  }
}

}  // namespace heed::cpu
