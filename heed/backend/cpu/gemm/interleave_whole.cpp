#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gemm/interleave_whole.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "heed/backend/cpu/gemm/interleave.h"
#include "heed/backend/cpu/gemm/weave.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// max |x| / 127; NaN if some x is not finite. The maximum is taken of the bits as whole numbers:
/// the bits of floats without a sign sort like the floats, with infinity and NaN above all.
float scale_of(const float* x, int64_t n, int64_t step) {
  const auto size = [](float value) { return std::bit_cast<int32_t>(value) & 0x7FFFFFFF; };
  int32_t most = 0;
  if (step == 1) {
#pragma omp simd reduction(max : most)
    for (int64_t k = 0; k < n; ++k) {
      most = std::max(most, size(x[k]));
    }
  } else {
    for (int64_t k = 0; k < n; ++k) {
      most = std::max(most, size(x[k * step]));
    }
  }
  const auto largest = std::bit_cast<float>(most);
  return largest / 127.0F + 0.0F * largest;
}

/// ⌊x + ½⌋ for |x| < 128. The cast rounds towards zero, so it is done on a positive number. NaN
/// becomes some number, but its row's scale is NaN as well.
int32_t whole(float x) {
  return static_cast<int32_t>(std::max(0.0F, std::min(x + 128.5F, 256.0F))) - 128;
}

template <class T>
int32_t quantise_row(const float* x, const Slice& s, float scale, int32_t offset, T* to) {
  const float inverse = scale > 0 ? 1.0F / scale : 0.0F;  // a NaN scale gives zeros times NaN
  int32_t sum = 0;
  if (s.x.column == 1) {
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < s.k; ++k) {
      const int32_t q = whole(x[k] * inverse);
      sum += q;
      to[k] = static_cast<T>(q + offset);
    }
  } else {
    for (int64_t k = 0; k < s.k; ++k) {
      const int32_t q = whole(x[k * s.x.column] * inverse);
      sum += q;
      to[k] = static_cast<T>(q + offset);
    }
  }
  std::fill_n(to + s.k, s.padded - s.k, static_cast<T>(offset));
  return sum;
}

template <class T>
void quantise(const Slice& s, int32_t offset, float* scales, int32_t* sums, T* to) {
  constexpr auto bytes = static_cast<int64_t>(sizeof(T));
  auto* rows = static_cast<T*>(rows_to_weave(s.width * s.padded * bytes));
  for (int64_t r = 0; r < s.width; ++r) {
    int32_t sum = 0;
    scales[r] = 0;
    if (r < s.rows) {
      const float* x = s.x.data + r * s.x.row;
      scales[r] = scale_of(x, s.k, s.x.column);
      sum = quantise_row(x, s, scales[r], offset, rows + r * s.padded);
    } else {
      std::fill_n(rows + r * s.padded, s.padded, static_cast<T>(offset));
    }
    if (sums != nullptr) {
      sums[r] = sum;
    }
  }
  weave(rows, s, bytes, to);
}

}  // namespace

void quantise_slice(const Slice& slice, Element element, float* scales, int32_t* sums, void* to) {
  if (element == Element::i16) {
    quantise(slice, 0, scales, sums, static_cast<int16_t*>(to));
  } else if (element == Element::u8) {
    quantise(slice, 128, scales, sums, static_cast<uint8_t*>(to));
  } else {
    quantise(slice, 0, scales, sums, static_cast<int8_t*>(to));
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(quantise_slice);

void interleave_whole(const Slice& slice, Element element, float* scales, int32_t* sums, void* to) {
  HWY_DYNAMIC_DISPATCH(quantise_slice)(slice, element, scales, sums, to);
}

}  // namespace heed::cpu
#endif
