#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/weights_gradient.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "heed/backend/cpu/attend/row_math-inl.h"
#include "heed/backend/cpu/attend/weights.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

/// Σ a b
HWY_INLINE float dot_of(const float* a, const float* b, const Span& span) {
  constexpr int64_t n = lanes;
  Floats sum = hn::Zero(Wide());
  Floats more = sum;
  int64_t j = span.begin;
  for (; j + 2 * n <= span.end; j += 2 * n) {
    sum = hn::MulAdd(load(a + j), load(b + j), sum);
    more = hn::MulAdd(load(a + j + n), load(b + j + n), more);
  }
  if (j < span.end) {
    sum = hn::MulAdd(load(a + j), load(b + j), sum);
  }
  return sum_of(hn::Add(sum, more));
}

struct GradientOfExp {
  void operator()(const float* weight, float* gradient, const Span& span, const WeightRow& /*row*/,
                  const float* given) const {
    const Floats mean = spread(given != nullptr ? *given : dot_of(weight, gradient, span));
    for (int64_t j = span.begin; j < span.end; j += lanes) {
      store(gradient + j, hn::Mul(load(weight + j), hn::Sub(load(gradient + j), mean)));
    }
  }
};

template <Streaming::Kind kind>
struct GradientOfSlots {
  const Streaming& how;
  void operator()(const float* weight, float* gradient, const Span& span, const WeightRow& row,
                  const float* given) const {
    const bool by_sum = how.divide == Streaming::Divide::sum;
    const Floats mean = spread(!by_sum            ? 0.0F
                               : given != nullptr ? *given
                                                  : dot_of(weight, gradient, span));
    const Floats factor = spread(row.level);
    const Floats whole = spread(row.level != 0 ? 1 / row.level : 0.0F);
    for (int64_t j = span.begin; j < span.end; j += lanes) {
      const Floats w = load(weight + j);
      const Floats d = hn::Mul(factor, hn::Sub(load(gradient + j), mean));
      if constexpr (kind == Streaming::Kind::relu) {
        store(gradient + j, hn::IfThenElseZero(hn::Gt(w, hn::Zero(Wide())), d));
      } else {
        const Floats u = hn::Mul(w, whole);
        store(gradient + j, hn::Mul(hn::Mul(u, hn::Sub(spread(1.0F), u)), d));
      }
    }
  }
};

struct GradientOfThreshold {
  double alpha;
  HWY_INLINE Floats support(Floats w) const {
    const auto is_in = hn::Gt(w, hn::Zero(Wide()));
    return hn::IfThenElseZero(is_in, alpha == 2 ? spread(1.0F) : hn::Sqrt(w));
  }
  /// If α is neither 2 nor 1.5, `weight` holds s.
  template <class Support>
  HWY_INLINE void apply(const float* weight, float* gradient, const Span& span,
                        const Support& s_of) const {
    Floats total = hn::Zero(Wide());
    Floats sum = total;
    for (int64_t j = span.begin; j < span.end; j += lanes) {
      const Floats s = s_of(load(weight + j));
      total = hn::Add(total, s);
      sum = hn::MulAdd(s, load(gradient + j), sum);
    }
    const float all_of_it = sum_of(total);
    const Floats mean = spread(all_of_it != 0 ? sum_of(sum) / all_of_it : 0.0F);
    for (int64_t j = span.begin; j < span.end; j += lanes) {
      store(gradient + j, hn::Mul(s_of(load(weight + j)), hn::Sub(load(gradient + j), mean)));
    }
  }
  void operator()(const float* weight, float* gradient, const Span& span, const WeightRow& /*row*/,
                  const float* /*given*/) const {
    apply(weight, gradient, span, [this](Floats w) HWY_ATTR { return support(w); });
  }
};

/// Any other α: s = α^(2−α) one by one.
struct GradientOfAnyThreshold {
  double alpha;
  float* spare;
  void operator()(const float* weight, float* gradient, const Span& span, const WeightRow& /*row*/,
                  const float* /*given*/) const {
    const auto power = static_cast<float>(2 - alpha);
    for (int64_t j = span.begin; j < span.end; ++j) {
      spare[j] = weight[j] > 0 ? std::pow(weight[j], power) : 0;
    }
    GradientOfThreshold{alpha}.apply(spare, gradient, span, [](Floats s) HWY_ATTR { return s; });
  }
};

template <class Kind>
void gradient_each(const WeightRows& w, TileRows gradients, const float* means, const Kind& kind) {
  for (int64_t i = 0; i < w.rows; ++i) {
    const WeightRow& row = w.row[i];
    float* gradient = gradients[i];
    if (sees_nothing(row)) {
      clear(gradient, row);
      continue;
    }
    const Span span = span_of(row);
    fill_ends(gradient, row, span, 0);
    kind(w.e[i], gradient, span, row, means != nullptr ? means + i : nullptr);
    clear_outside(gradient, row, span);
  }
}

/// One row of exp_block: weight(j) computes α from the score there, or reads it.
template <class Weight>
HWY_INLINE void exp_row(float* e, float* gradient, const Span& span, const Floats scale,
                        const Floats mean, const Weight& weight) {
  constexpr int64_t side_by_side = 4;
  constexpr int64_t n = lanes;
  const auto put = [=](int64_t j, Floats a) HWY_ATTR {
    store(e + j, a);
    store(gradient + j, hn::Mul(a, hn::MulAdd(load(gradient + j), scale, mean)));
  };
  int64_t j = span.begin;
  for (; j + side_by_side * n <= span.end; j += side_by_side * n) {
    Floats a[side_by_side];
    for (int64_t k = 0; k < side_by_side; ++k) {
      a[k] = weight(j + k * n);
    }
    for (int64_t k = 0; k < side_by_side; ++k) {
      put(j + k * n, a[k]);
    }
  }
  for (; j < span.end; j += n) {
    put(j, weight(j));
  }
}

/// reweigh, gradient and scale of exp in one pass, for rows whose means are known.
void exp_block(const WeightRows& w, TileRows gradients, const float* means, bool is_weighed) {
  for (int64_t i = 0; i < w.rows; ++i) {
    const WeightRow& row = w.row[i];
    float* e = w.e[i];
    float* gradient = gradients[i];
    if (sees_nothing(row)) {
      clear(e, row);
      clear(gradient, row);
      continue;
    }
    const Span span = span_of(row);
    fill_ends(gradient, row, span, 0);
    const Floats scale = spread(static_cast<float>(w.scale));
    const Floats mean = spread(static_cast<float>(-w.scale) * means[i]);
    if (is_weighed) {
      exp_row(e, gradient, span, scale, mean, [=](int64_t j) HWY_ATTR { return load(e + j); });
    } else {
      const Ready in = ready(w, i, false);
      const Floats rate = spread(in.rate * 1.44269504F);
      const Floats less = spread(-row.peak);
      const Floats level = spread(row.level);
      exp_row(e, gradient, span, scale, mean, [=](int64_t j) HWY_ATTR {
        return hn::Mul(exp2_to_127(Wide(), hn::MulAdd(load(e + j), rate, less)), level);
      });
    }
    clear_outside(e, row, span);
    clear_outside(gradient, row, span);
  }
}

void gradient_block(const WeightRows& w, const LoweredNormaliser& normaliser, TileRows gradients,
                    const float* means) {
  const auto each = [&](const auto& kind) HWY_ATTR { gradient_each(w, gradients, means, kind); };
  if (const auto* threshold = std::get_if<Threshold>(&normaliser)) {
    if (threshold->k > 0) {
      return each(GradientOfExp());
    }
    const bool is_plain = threshold->alpha == 2 || threshold->alpha == 1.5;
    return is_plain ? each(GradientOfThreshold{threshold->alpha})
                    : each(GradientOfAnyThreshold{threshold->alpha, w.spare});
  }
  const auto& streaming = std::get<Streaming>(normaliser);
  switch (streaming.kind) {
    case Streaming::Kind::exp:
      return each(GradientOfExp());
    case Streaming::Kind::relu:
      return each(GradientOfSlots<Streaming::Kind::relu>{streaming});
    case Streaming::Kind::sigmoid:
      return each(GradientOfSlots<Streaming::Kind::sigmoid>{streaming});
  }
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
HWY_EXPORT(gradient_block);
HWY_EXPORT(exp_block);

void weigh_gradient(const WeightRows& w, const LoweredNormaliser& normaliser, TileRows gradient,
                    const float* means) {
  HWY_DYNAMIC_DISPATCH(gradient_block)(w, normaliser, gradient, means);
}

void exp_gradient(const WeightRows& w, TileRows gradient, const float* means, bool is_weighed) {
  HWY_DYNAMIC_DISPATCH(exp_block)(w, gradient, means, is_weighed);
}
}  // namespace heed::cpu
#endif
