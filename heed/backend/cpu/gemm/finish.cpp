#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/gemm/finish.cpp"
#include "heed/backend/cpu/gemm/finish.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>

#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/gemm/tile.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

void apply(AfterProduct after, float* x, int64_t n) {
  const Wide d;
  switch (after) {
    case AfterProduct::gelu:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return gelu(d, v); }, x);
    case AfterProduct::silu:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return silu(d, v); }, x);
    case AfterProduct::tanh:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return tanh(d, v); }, x);
    case AfterProduct::sigmoid:
      return transform<2>(
          x, n, [d](Floats v) HWY_ATTR { return sigmoid(d, v); }, x);
    default:  // already done in registers
      return;
  }
}

/// to[columns] ← one row, by vectors whose length divides it.
template <class D>
HWY_INLINE void finish_row(D d, const Finish& how, const void* sums, float by, float* to) {
  const hn::RebindToSigned<D> whole;
  for (int64_t c = 0; c < how.columns; c += static_cast<int64_t>(hn::MaxLanes(d))) {
    auto factor = hn::Set(d, by);
    auto x = hn::Zero(d);
    if (how.scales == nullptr) {
      x = hn::LoadU(d, static_cast<const float*>(sums) + c);
    } else {
      auto sum = hn::LoadU(whole, static_cast<const int32_t*>(sums) + c);
      if (how.totals != nullptr) {
        sum = hn::Sub(sum, hn::ShiftLeft<7>(hn::LoadU(whole, how.totals + c)));
      }
      x = hn::ConvertTo(d, sum);
      factor = hn::Mul(factor, hn::LoadU(d, how.scales + c));
    }
    x = hn::Mul(x, factor);
    if (how.bias != nullptr) {
      x = hn::Add(x, hn::LoadU(d, how.bias + c));
    }
    if (how.after == AfterProduct::relu || how.after == AfterProduct::relu6) {
      x = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);  // NaN stays
    }
    if (how.after == AfterProduct::relu6) {
      x = hn::IfThenElse(hn::Gt(x, hn::Set(d, 6.0F)), hn::Set(d, 6.0F), x);
    }
    hn::StoreU(x, d, to + c);
  }
}

/// Rows that are dense in the result are finished in place, others before they are copied.
template <class D>
void finish_by(D d, const Finish& how, const FinishRows& tile) {
  constexpr int64_t size = sizeof(float);  // of an i32 too
  const bool is_dense = how.width == how.columns && how.out_column == 1 && !how.adds;
  std::array<float, widest_tile> row;
  for (int64_t r = 0; r < tile.rows; ++r) {
    float* out = tile.out + r * how.out_row;
    float* to = is_dense ? out : row.data();
    const float by = how.scales != nullptr ? how.scale * tile.row_scales[r] : how.scale;
    finish_row(d, how, static_cast<const char*>(tile.sums) + r * how.columns * size, by, to);
    apply(how.after, to, how.width);
    for (int64_t c = 0; !is_dense && c < how.width; ++c) {
      float& at = out[c * how.out_column];
      at = how.adds ? at + to[c] : to[c];
    }
  }
}

}  // namespace

HWY_FLATTEN void finish_floats(AfterProduct f, float* x, int64_t n) {
  const auto positive = [](Floats v) HWY_ATTR {
    return hn::IfThenElse(hn::Lt(v, spread(0.0F)), spread(0.0F), v);  // NaN stays
  };
  if (f == AfterProduct::relu) {
    return transform<2>(x, n, positive, x);
  }
  if (f == AfterProduct::relu6) {
    return transform<2>(
        x, n,
        [positive](Floats v) HWY_ATTR {
          const Floats y = positive(v);
          return hn::IfThenElse(hn::Gt(y, spread(6.0F)), spread(6.0F), y);
        },
        x);
  }
  apply(f, x, n);
}

HWY_FLATTEN void finish_tile(const Finish& finish, const FinishRows& tile) {
  Finish how = finish;
  std::array<float, widest_tile> bias{};  // as wide as the tile
  if (how.bias != nullptr && how.width < how.columns) {
    std::copy_n(how.bias, how.width, bias.data());
    how.bias = bias.data();
  }
  if constexpr (lanes > 4) {
    if (how.columns % lanes == 0) {
      return finish_by(Wide(), how, tile);
    }
  }
  finish_by(hn::CappedTag<float, 4>(), how, tile);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(finish_tile);
HWY_EXPORT(finish_floats);

void finish(const Finish& how, const FinishRows& tile) {
  HWY_DYNAMIC_DISPATCH(finish_tile)(how, tile);
}

void finish_in_place(AfterProduct f, float* x, int64_t n) {
  HWY_DYNAMIC_DISPATCH(finish_floats)(f, x, n);
}

void Product::finish() const {
  for (int64_t i = 0; after != AfterProduct::nothing && i < m; ++i) {
    finish_in_place(after, out + i * out_row, n);
  }
}

}  // namespace heed::cpu
#endif
