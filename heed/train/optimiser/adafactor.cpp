// adafactor (Shazeer and Stern 2018, algorithms 4 to 6), at update t = 1, 2, …; a matrix [N, M]
// keeps N + M numbers in place of N M:
//
//   r ← β r + (1 − β) (mean over columns of g² + ε₁)   "row" [N, 1],   β = 1 − t^−d
//   c ← β c + (1 − β) (mean over rows of g² + ε₁)      "column" [1, M]
//   v = r c / mean r                                   of a vector: v itself, "second"
//   u = g / √v
//   ρ = min(η, 1/√t),  times max(ε₂, rms p) where steps are relative to the weights
//   p ← p − η λ p − ρ u / max(1, rms u / k)            k: `threshold`, rms over a whole tensor
//
// With more than two axes the last two are the matrix, and each matrix is treated separately.
#include <algorithm>
#include <cmath>

#include "heed/config/limits.h"
#include "heed/train/optimisers.h"

namespace heed {
namespace {

constexpr double tiny = 1e-30;  // ε₁: prevents division by 0 where there never was a gradient

Shape without_columns(const Shape& shape) { return shape.with(-1, 1); }
Shape without_rows(const Shape& shape) { return shape.with(-2, 1); }

/// out ← f(a, b), b broadcast to out.
void spread(Function f, const Tensor& out, const Tensor& a, const Tensor& b) {
  const View operands[] = {a.view(), broadcast_to(b.view(), out.shape())};
  out.backend().map(f, out.view(), operands, {});
}

/// The mean of x over the axes that are 1 in `shape`.
Tensor mean_over(const Tensor& x, const Shape& shape) {
  Tensor mean = Tensor::empty(shape, x.place());
  x.backend().reduce(Reduction::sum, mean.view(), x.view());
  update_by(function<fn::Affine>, mean, {mean},
            {.a = static_cast<double>(shape.numel()) / static_cast<double>(x.numel())});
  return mean;
}

/// √(mean x²), one number; `scratch` has the size of x.
Tensor root_mean_square(const Tensor& x, const Tensor& scratch) {
  update_by(function<fn::Multiply>, scratch, {x, x});
  const View flat = dense_view(scratch.view().data, scratch.dtype(), {scratch.numel()});
  Tensor rms = mean_over(scratch.seen_as(flat), {1});
  update_by(function<fn::Sqrt>, rms, {rms});
  return rms;
}

class Adafactor : public Optimiser {
 public:
  Adafactor() : Optimiser(0.01) {}

  void describe(Describer& d) override {
    Optimiser::describe(d);
    d.setting("decay", decay_,
              {.help = "d: how soon older squares are forgotten, 1 − t^−d", .least = 0, .most = 1});
    d.setting("relative", is_relative_, {"steps are relative to the size of the weights"});
    d.setting(
        "least", least_,
        {.help = "ε₂: what small weights count as, of relative steps", .least = 0, .most = 1});
    d.setting("threshold", threshold_,
              {.help = "k: the root mean square of an update at most, before ρ",
               .least = 1e-6,
               .most = most_factor});
    d.setting("weight_decay", weight_decay_,
              {.help = "how strongly weights are drawn to 0", .least = 0, .most = most_factor});
  }

 protected:
  std::vector<StateKind> kinds(const Shape& parameter) const override {
    if (parameter.rank() < 2) {
      return {{"second", parameter}};
    }
    return {{"row", without_columns(parameter)}, {"column", without_rows(parameter)}};
  }

  enum Number : uint8_t { minus_step = 1, shrink, kept, taken };
  std::vector<double> numbers(double rate) const override {
    const auto t = static_cast<double>(std::max<int64_t>(1, updates()));
    const double forgotten = std::pow(t, -decay_);
    return {-std::min(rate, 1 / std::sqrt(t)), 1 - rate * weight_decay_, 1 - forgotten, forgotten};
  }

  void update(std::span<const UpdatedTensor> tensors, const StepNumbers& numbers) const override {
    for (const UpdatedTensor& one : tensors) {
      update_one(one.p, scaled_gradient(one, numbers), one.state, numbers);
    }
  }

 private:
  void update_one(const Tensor& p, const Tensor& g, std::span<const Tensor> state,
                  const StepNumbers& numbers) const {
    const Tensor scratch = Tensor::empty(p.shape(), p.place());
    update_by(function<fn::Multiply>, scratch, {g, g});
    const Tensor u =
        p.rank() < 2 ? whole(g, scratch, state[0], numbers) : factored(g, scratch, state, numbers);
    const Tensor length = root_mean_square(u, scratch);
    update_by(function<fn::Affine>, length, {length}, {.a = 1 / threshold_});
    update_by(function<fn::MaximumWith>, length, {length}, {.a = 1});
    // −ρ / max(1, rms u / k) is computed on the device, so that nothing waits for a number.
    const Tensor step = Tensor::empty({1}, p.place());
    update_by(function<fn::Divide>, step, {numbers.at(minus_step), length});
    if (is_relative_) {
      const Tensor size = root_mean_square(p, scratch);
      update_by(function<fn::MaximumWith>, size, {size}, {.a = least_});
      update_by(function<fn::Multiply>, step, {step, size});
    }
    if (weight_decay_ > 0) {
      update_by(function<fn::Multiply>, p, {p, numbers.at(shrink)});
    }
    update_by(function<fn::MultiplyAdd>, p, {u, step, p});
  }

  /// moving ← β moving + (1 − β) (squares + ε₁); `squares` is written over.
  static void move(const Tensor& moving, const Tensor& squares, const StepNumbers& numbers) {
    update_by(function<fn::Affine>, squares, {squares}, {.a = 1, .b = tiny});
    update_by(function<fn::Multiply>, squares, {squares, numbers.at(taken)});
    update_by(function<fn::MultiplyAdd>, moving, {moving, numbers.at(kept), squares});
  }

  /// g / √v of a vector.
  static Tensor whole(const Tensor& g, const Tensor& squares, const Tensor& second,
                      const StepNumbers& numbers) {
    move(second, squares, numbers);
    update_by(function<fn::ReciprocalSqrt>, squares, {second});
    Tensor u = Tensor::empty(g.shape(), g.place());
    update_by(function<fn::Multiply>, u, {g, squares});
    return u;
  }

  /// g / √(r / mean r) / √c, because the product r c itself may be too small for its type.
  static Tensor factored(const Tensor& g, const Tensor& squares, std::span<const Tensor> state,
                         const StepNumbers& numbers) {
    const Tensor& row = state[0];
    const Tensor& column = state[1];
    const Tensor by_row = mean_over(squares, row.shape());
    const Tensor by_column = mean_over(squares, column.shape());
    move(row, by_row, numbers);
    move(column, by_column, numbers);
    spread(function<fn::Divide>, by_row, row, mean_over(row, without_rows(row.shape())));
    update_by(function<fn::ReciprocalSqrt>, by_row, {by_row});
    update_by(function<fn::ReciprocalSqrt>, by_column, {column});
    Tensor u = Tensor::empty(g.shape(), g.place());
    spread(function<fn::Multiply>, u, g, by_row);
    spread(function<fn::Multiply>, u, u, by_column);
    return u;
  }

  double decay_ = 0.8;
  bool is_relative_ = true;
  double least_ = 1e-3;
  double threshold_ = 1;
  double weight_decay_ = 0;
};

}  // namespace

std::unique_ptr<Optimiser> adafactor() { return std::make_unique<Adafactor>(); }

}  // namespace heed
