#include "heed/ops/cross_entropy.h"

#include "heed/device/kernel/cross_entropy.h"
#include "heed/ops/cast.h"
#include "heed/ops/mapped.h"
#include "heed/ops/reduced.h"
#include "heed/ops/row_maximum.h"
#include "heed/ops/rows.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

void check(const Tensor& logits, const Tensor& targets, double smoothing) {
  require(logits.rank() == 2 && targets.shape() == Shape{logits.size(0)},
          "cross_entropy: saw logits {} and targets {}, needs [N, V] and [N]", logits.shape(),
          targets.shape());
  require(targets.place() == logits.place().with(DType::i32),
          "cross_entropy: saw targets of {}, needs i32 on the logits' backend",
          name_of(targets.dtype()));
  require(smoothing >= 0 && smoothing <= 1, "cross_entropy: saw smoothing {}, needs 0 to 1",
          smoothing);
}

/// [N, 1]: 1 where a row has a target, 0 where it has −1.
Tensor counted(const Tensor& targets, const Place& place) {
  Tensor out = Tensor::empty({targets.size(0), 1}, place);
  if (out.numel() > 0) {
    out.backend().copy(out.view(), shaped(targets, out.shape()).view());
  }
  map_into(out, function<fn::Clamp>, {out}, {.a = -1, .b = 0});
  map_into(out, function<fn::Affine>, {out}, {.a = 1, .b = 1});
  return out;
}

/// x_t of each row of x [N, V], [N, 1]; 0 where t = −1.
Tensor at_target(const Tensor& x, const Tensor& targets) {
  const int64_t rows = x.size(0);
  Tensor out = Tensor::empty({rows, 1}, x.place());
  if (rows > 0) {
    x.backend().gather(shaped(out, {rows, 1, 1}).view(), shaped(x, {rows, x.size(1), 1}).view(),
                       shaped(targets, {rows, 1}).view());
  }
  return out;
}

struct Forward {
  Tensor losses;        // [N, 1]
  Tensor most;          // m [N, 1]
  Tensor total;         // s [N, 1]
  Tensor exponentials;  // e^(x − m) [N, V], where a kernel made them for the gradient
};

Forward compose(const Tensor& x, const Tensor& targets, double smoothing) {
  const Tensor most = row_maximum(x);
  const Tensor shifted = mapped(function<fn::Subtract>, {x, most});
  const Tensor losses = at_target(shifted, targets);
  map_into(losses, function<fn::Affine>, {losses}, {.a = smoothing - 1});
  if (smoothing > 0) {
    map_into(losses, function<fn::AddScaled>, {losses, reduced_rows(Reduction::sum, shifted)},
             {.a = -smoothing / static_cast<double>(x.size(1))});
  }
  map_into(shifted, function<fn::Exp>, {shifted});
  const Tensor total = row_total(shifted);
  map_into(losses, function<fn::Add>, {losses, mapped(function<fn::Log>, {total})});
  map_into(losses, function<fn::SelectOr>, {counted(targets, x.place()), losses});
  return {losses, most, total, {}};
}

Forward forward(const Tensor& x, const Tensor& targets, double smoothing, bool keep) {
  if (x.numel() == 0 || !x.backend().offers<CrossEntropy>()) {
    return compose(x, targets, smoothing);
  }
  const Shape column{x.size(0), 1};
  Forward out{Tensor::empty(column, x.place()), Tensor::empty(column, x.place()),
              Tensor::empty(column, x.place()),
              keep ? Tensor::empty(x.shape(), x.place()) : Tensor()};
  const CrossEntropy call{.losses = out.losses.view(),
                          .most = out.most.view(),
                          .total = out.total.view(),
                          .logits = x.view(),
                          .targets = shaped(targets, column).view(),
                          .smoothing = smoothing,
                          .exponentials = keep ? out.exponentials.view() : View()};
  return x.backend().run_fused(call) ? out : compose(x, targets, smoothing);
}

/// dx_v = dloss (e^(x_v − m) / s − (1 − ε) [v = t] − ε / V)
Tensor compose_gradient(const Tensor& dlosses, const Tensor& x, const Tensor& targets,
                        const Forward& kept, double smoothing) {
  const int64_t rows = x.size(0);
  const Tensor weight = counted(targets, x.place());
  map_into(weight, function<fn::Multiply>, {weight, dlosses});
  Tensor dx = mapped(function<fn::Subtract>, {x, kept.most});
  map_into(dx, function<fn::Exp>, {dx});
  map_into(dx, function<fn::Multiply>, {dx, mapped(function<fn::Divide>, {weight, kept.total})});
  if (smoothing > 0) {
    map_into(dx, function<fn::AddScaled>, {dx, weight},
             {.a = -smoothing / static_cast<double>(x.size(1))});
  }
  map_into(weight, function<fn::Affine>, {weight}, {.a = smoothing - 1});
  if (dx.numel() > 0) {
    dx.backend().scatter_add(shaped(dx, {rows, x.size(1), 1}).view(),
                             shaped(weight, {rows, 1, 1}).view(),
                             shaped(targets, {rows, 1}).view());
  }
  return dx;
}

Tensor gradient(const Tensor& dlosses, const Tensor& x, const Tensor& targets, const Forward& kept,
                double smoothing) {
  if (x.numel() == 0 || !x.backend().offers<CrossEntropyGradient>()) {
    return compose_gradient(dlosses, x, targets, kept, smoothing);
  }
  // Backward runs once, so the gradient may overwrite the exponentials (which x holds as well).
  Tensor dx = kept.exponentials ? kept.exponentials : Tensor::empty(x.shape(), x.place());
  const CrossEntropyGradient call{
      .dlogits = dx.view(),
      .dlosses = dlosses.view(),
      .logits = x.view(),
      .most = kept.most.view(),
      .total = kept.total.view(),
      .targets = shaped(targets, dlosses.shape()).view(),
      .smoothing = smoothing,
      .exponentials = kept.exponentials ? kept.exponentials.view() : View()};
  require(x.backend().run_fused(call),
          "cross_entropy: saw a backend that kept its exponentials and "
          "then declined the gradient");
  return dx;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                     const CrossEntropyOptions& options) {
  if (logits.dtype() == DType::bf16) {
    return cross_entropy(widened(logits), targets, options);
  }
  const double smoothing = options.smoothing;
  check(logits, targets, smoothing);
  const Tensor rows = logits.dense();
  Forward out = forward(rows, targets, smoothing, recording({logits}));
  const Tensor losses = shaped(out.losses, targets.shape());
  out.losses = {};
  return record(losses, {logits},
                [x = out.exponentials ? out.exponentials : rows, targets = targets.detached(),
                 kept = out, smoothing](Gradients& g) {
                  const Tensor dlosses = shaped(g.of(0), kept.most.shape()).dense();
                  g.add(0, gradient(dlosses, x, targets, kept, smoothing));
                });
}

}  // namespace heed
