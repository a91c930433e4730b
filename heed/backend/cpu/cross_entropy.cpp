// Losses of rows of logits and their gradient; device/kernel/cross_entropy.h has the formulas.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/cross_entropy.cpp"
#include "heed/device/kernel/cross_entropy.h"

#include <hwy/foreach_target.h>

#include <cmath>

#include "heed/backend/cpu/chunks.h"
#include "heed/backend/cpu/dense_rows.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/logit_rows.h"
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"
#include "heed/device/backend.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

/// Also writes the exponentials if `exponentials` is not null.
HWY_FLATTEN LogitSums logit_sums(const float* x, float* exponentials, int64_t n) {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const float most = row_max(x, n);
  const Floats m = spread(most);
  const auto [all] = sums<1>(n, [=](auto at, int64_t j, Floats* sum) HWY_ATTR {
    sum[0] = hn::Add(sum[0], hn::Sub(at.load(x + j, most), m));
  });
  const auto e = [m](Floats v) HWY_ATTR { return exp_to_88(Wide(), hn::Sub(v, m)); };
  if (exponentials != nullptr) {
    return {most, transform_and_sum(exponentials, x, n, lowest, e), all};
  }
  const auto [total] = sums<1>(n, [=](auto at, int64_t j, Floats* sum) HWY_ATTR {
    sum[0] = hn::Add(sum[0], e(at.load(x + j, lowest)));
  });
  return {most, total, all};
}

HWY_FLATTEN void logit_gradients(float* dx, const float* x, int64_t n, const LogitGradients& by) {
  const Floats m = spread(by.most);
  const Floats share = spread(by.share);
  const Floats even = spread(by.even);
  transform(
      dx, n,
      [=](Floats v) HWY_ATTR { return hn::MulSub(share, exp_to_88(Wide(), hn::Sub(v, m)), even); },
      x);
}

/// The same gradients from the exponentials.
HWY_FLATTEN void gradients_from(float* dx, const float* e, int64_t n, const LogitGradients& by) {
  const Floats share = spread(by.share);
  const Floats even = spread(by.even);
  transform(
      dx, n, [=](Floats v) HWY_ATTR { return hn::MulSub(share, v, even); }, e);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {
namespace {

class Targets {
 public:
  Targets(const View& view, int64_t rows, Indexed who, IndexFaults& faults)
      : data_(view.as<int32_t>()), stride_(view.strides[0]), who_(who), faults_(faults) {
    require(view.shape == Shape{rows, 1} && view.dtype == DType::i32,
            "cross_entropy: saw targets {} {}, needs i32 {}", name_of(view.dtype),
            to_string(view.shape), to_string({rows, 1}));
  }
  /// The target of a row: −1 or one of n classes. A wrong one counts as −1.
  int64_t at(int64_t row, int64_t n) const {
    return checked_index(data_[row * stride_], -1, n, who_, faults_, -1);
  }

 private:
  const int32_t* data_;
  int64_t stride_;
  Indexed who_;
  IndexFaults& faults_;
};

}  // namespace

HWY_EXPORT(logit_sums);
HWY_EXPORT(logit_gradients);
HWY_EXPORT(gradients_from);

bool cross_entropy(Backend& backend, const CrossEntropy& rows) {
  constexpr const char* who = "cross_entropy";
  const int64_t count = rows.logits.shape[0];
  const int64_t n = rows.logits.shape[1];
  const DenseRows logits(rows.logits, count, n, who);
  const bool keeps = rows.exponentials.data != nullptr;
  const DenseRows exponentials(keeps ? rows.exponentials : rows.logits, count, n, who);
  const DenseRows losses(rows.losses, count, 1, who);
  const DenseRows most(rows.most, count, 1, who);
  const DenseRows total(rows.total, count, 1, who);
  const Targets targets(rows.targets, count, Indexed::cross_entropy, backend.index_faults());
  each_range(count, units_per_chunk(4 * n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* x = logits[i];
      const int64_t target = targets.at(i, n);
      const LogitSums sums =
          HWY_DYNAMIC_DISPATCH(logit_sums)(x, keeps ? exponentials[i] : nullptr, n);
      *most[i] = sums.most;
      *total[i] = static_cast<float>(sums.exponentials);
      const double at_target = target < 0 ? 0 : static_cast<double>(x[target] - sums.most);
      // With ε = 0 the term is 0 even if the sum is infinite.
      const double spread =
          rows.smoothing == 0 ? 0 : rows.smoothing / static_cast<double>(n) * sums.shifted;
      *losses[i] = static_cast<float>(
          target < 0 ? 0 : std::log(sums.exponentials) - (1 - rows.smoothing) * at_target - spread);
    }
  });
  return true;
}

bool cross_entropy_gradient(Backend& backend, const CrossEntropyGradient& rows) {
  constexpr const char* who = "cross_entropy_gradient";
  const int64_t count = rows.logits.shape[0];
  const int64_t n = rows.logits.shape[1];
  const DenseRows dlogits(rows.dlogits, count, n, who);
  const DenseRows dlosses(rows.dlosses, count, 1, who);
  const bool kept = rows.exponentials.data != nullptr;
  const DenseRows exponentials(kept ? rows.exponentials : rows.logits, count, n, who);
  const DenseRows logits(rows.logits, count, n, who);
  const DenseRows most(rows.most, count, 1, who);
  const DenseRows total(rows.total, count, 1, who);
  const Targets targets(rows.targets, count, Indexed::cross_entropy_gradient,
                        backend.index_faults());
  each_range(count, units_per_chunk(4 * n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t target = targets.at(i, n);
      float* dx = dlogits[i];
      if (target < 0) {
        std::fill_n(dx, n, 0.0F);
        continue;
      }
      const float m = *most[i];
      const float weight = *dlosses[i];
      const float share = weight / *total[i];
      const auto even = static_cast<float>(rows.smoothing / static_cast<double>(n)) * weight;
      if (kept) {
        HWY_DYNAMIC_DISPATCH(gradients_from)(dx, exponentials[i], n, {m, share, even});
      } else {
        HWY_DYNAMIC_DISPATCH(logit_gradients)(dx, logits[i], n, {m, share, even});
      }
      dx[target] -= static_cast<float>(1 - rows.smoothing) * weight;
    }
  });
  return true;
}

}  // namespace heed::cpu
#endif
