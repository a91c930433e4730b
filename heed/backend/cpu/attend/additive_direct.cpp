#include "heed/backend/cpu/attend/additive_direct.h"

#include "heed/backend/cpu/vector_math.h"

namespace heed::cpu {
namespace {

struct Tanh {
  static float value(float x) { return VectorMath::tanh(x); }
  static float slope(float /*x*/, float y) { return 1 - y * y; }
};
struct Relu {
  static float value(float x) { return choose(x > 0, x, 0); }
  static float slope(float x, float /*y*/) { return choose(x > 0, 1, 0); }
};
struct Sigmoid {
  static float value(float x) { return VectorMath::sigmoid(x); }
  static float slope(float /*x*/, float y) { return y * (1 - y); }
};
// x Φ(x), Φ = ½ (1 + erf(x / √2)); its slope is Φ + x φ.
struct Gelu {
  static float below(float x) { return 0.5F + 0.5F * VectorMath::erf(0.707106781F * x); }
  static float value(float x) { return x * below(x); }
  static float slope(float x, float /*y*/) {
    return below(x) + x * 0.398942280F * VectorMath::exp(-0.5F * x * x);
  }
};

template <class F>
float score_of(const DirectPair& pair) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t a = 0; a < pair.width; ++a) {
    sum += pair.v[a] * F::value(pair.query[a] + pair.key[a]);
  }
  return sum;
}

template <class F>
void add_slopes(const DirectPair& pair, float de, const DirectSlopes& to) {
  const int64_t n = pair.width;
  if (to.dquery != nullptr && to.dkey != nullptr && to.dv != nullptr) {
#pragma omp simd
    for (int64_t a = 0; a < n; ++a) {
      const float x = pair.query[a] + pair.key[a];
      const float y = F::value(x);
      const float g = de * pair.v[a] * F::slope(x, y);
      to.dquery[a] += g;
      to.dkey[a] += g;
      to.dv[a] += de * y;
    }
    return;
  }
  for (float* sum : {to.dquery, to.dkey}) {
    if (sum != nullptr) {
#pragma omp simd
      for (int64_t a = 0; a < n; ++a) {
        const float x = pair.query[a] + pair.key[a];
        sum[a] += de * pair.v[a] * F::slope(x, F::value(x));
      }
    }
  }
  if (to.dv != nullptr) {
#pragma omp simd
    for (int64_t a = 0; a < n; ++a) {
      to.dv[a] += de * F::value(pair.query[a] + pair.key[a]);
    }
  }
}

}  // namespace

float direct_score(const DirectPair& pair) {
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

void direct_slopes(const DirectPair& pair, float de, const DirectSlopes& to) {
  switch (pair.activation) {
    case Activation::relu:
      return add_slopes<Relu>(pair, de, to);
    case Activation::sigmoid:
      return add_slopes<Sigmoid>(pair, de, to);
    case Activation::gelu:
      return add_slopes<Gelu>(pair, de, to);
    default:
      return add_slopes<Tanh>(pair, de, to);
  }
}

}  // namespace heed::cpu
