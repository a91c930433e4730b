#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/additive_direct.cpp"
#include "heed/backend/cpu/attend/additive_direct.h"

#include <hwy/foreach_target.h>

#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

struct Tanh {
  static HWY_INLINE Floats value(Floats x) { return tanh(Wide(), x); }
  static HWY_INLINE Floats gradient(Floats /*x*/, Floats y) {
    return hn::NegMulAdd(y, y, spread(1.0F));
  }
};
struct Relu {
  static HWY_INLINE Floats value(Floats x) {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(Wide())), x);
  }
  static HWY_INLINE Floats gradient(Floats x, Floats /*y*/) {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(Wide())), spread(1.0F));
  }
};
struct Sigmoid {
  static HWY_INLINE Floats value(Floats x) { return sigmoid(Wide(), x); }
  static HWY_INLINE Floats gradient(Floats /*x*/, Floats y) { return hn::NegMulAdd(y, y, y); }
};
// x Φ(x), Φ = ½ (1 + erf(x / √2)); its gradient is Φ + x φ.
struct Gelu {
  static HWY_INLINE Floats value(Floats x) { return gelu(Wide(), x); }
  static HWY_INLINE Floats gradient(Floats x, Floats /*y*/) {
    const Floats half = spread(0.5F);
    const Floats below = hn::MulAdd(half, normal_within(Wide(), x), half);
    const Floats bell = exp(Wide(), hn::Mul(hn::Mul(spread(-0.5F), x), x));
    return hn::MulAdd(hn::Mul(x, spread(0.398942280F)), bell, below);
  }
};

template <class F>
HWY_INLINE float score_of(const DirectPair& pair) {
  return static_cast<float>(sums<1>(pair.width, [&](auto at, int64_t a, Floats* sum) HWY_ATTR {
    const Floats x = hn::Add(at.load(pair.query + a), at.load(pair.key + a));
    sum[0] = hn::MulAdd(at.load(pair.v + a), F::value(x), sum[0]);
  })[0]);
}

template <class At>
HWY_INLINE void add_where_wanted(At at, float* sums, int64_t a, Floats more) {
  if (sums != nullptr) {
    at.store(sums + a, hn::Add(at.load(sums + a), more));
  }
}

template <class F>
HWY_INLINE void add_gradients(const DirectPair& pair, float de, const DirectGradients& to) {
  sweep(pair.width, [&](auto at, int64_t a) HWY_ATTR {
    const Floats x = hn::Add(at.load(pair.query + a), at.load(pair.key + a));
    const Floats y = F::value(x);
    const Floats gradient = hn::Mul(hn::Mul(spread(de), at.load(pair.v + a)), F::gradient(x, y));
    add_where_wanted(at, to.dquery, a, gradient);
    add_where_wanted(at, to.dkey, a, gradient);
    add_where_wanted(at, to.dv, a, hn::Mul(spread(de), y));
  });
}

}  // namespace

HWY_FLATTEN float score_pair(const DirectPair& pair) {
  switch (pair.activation) {
    case Activation::relu:
      return score_of<Relu>(pair);
    case Activation::sigmoid:
      return score_of<Sigmoid>(pair);
    case Activation::gelu:
      return score_of<Gelu>(pair);
    default:
      return score_of<Tanh>(pair);
  }
}

HWY_FLATTEN void gradient_pair(const DirectPair& pair, float de, const DirectGradients& to) {
  switch (pair.activation) {
    case Activation::relu:
      return add_gradients<Relu>(pair, de, to);
    case Activation::sigmoid:
      return add_gradients<Sigmoid>(pair, de, to);
    case Activation::gelu:
      return add_gradients<Gelu>(pair, de, to);
    default:
      return add_gradients<Tanh>(pair, de, to);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(score_pair);
HWY_EXPORT(gradient_pair);

float direct_score(const DirectPair& pair) { return HWY_DYNAMIC_DISPATCH(score_pair)(pair); }
void direct_gradients(const DirectPair& pair, float de, const DirectGradients& to) {
  HWY_DYNAMIC_DISPATCH(gradient_pair)(pair, de, to);
}
}  // namespace heed::cpu
#endif
