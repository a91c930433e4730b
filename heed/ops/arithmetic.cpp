#include "heed/ops/arithmetic.h"

#include <utility>

#include "heed/ops/mapped.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// The values of x, if the gradient of `other` needs them.
Tensor kept_for(const Tensor& other, const Tensor& x) {
  return other.needs_gradient() ? x.detached() : Tensor();
}

/// dx ← dz where `to_x` holds, dy ← dz elsewhere: the gradient of max and min.
void share_out(Gradients& g, const Tensor& to_x) {
  const Tensor dz = g.of(0);
  if (g.wanted(0)) {
    g.add(0, mapped(function<fn::Multiply>, {dz, to_x}));
  }
  if (g.wanted(1)) {
    g.add(1, mapped(function<fn::Multiply>, {dz, mapped(function<fn::IsZero>, {to_x})}));
  }
}

}  // namespace

Tensor add(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Add>, {x, y}), {x, y}, [](Gradients& g) {
    if (g.wanted(1)) {
      g.add(0, g.of(0));
      g.add(1, g.take());
    } else {
      g.add(0, g.take());
    }
  });
}

Tensor subtract(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Subtract>, {x, y}), {x, y}, [](Gradients& g) {
    g.add(0, g.of(0));
    if (g.wanted(1)) {
      g.add(1, mapped(function<fn::Affine>, {g.of(0)}, {.a = -1}));
    }
  });
}

Tensor multiply(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Multiply>, {x, y}), {x, y},
                [x = kept_for(y, x), y = kept_for(x, y)](Gradients& g) {
                  if (!g.wanted(1)) {
                    g.add(0, mapped_over(function<fn::Multiply>, g.take(), {y}));
                    return;
                  }
                  if (g.wanted(0)) {
                    g.add(0, mapped(function<fn::Multiply>, {g.of(0), y}));
                  }
                  g.add(1, mapped_over(function<fn::Multiply>, g.take(), {x}));
                });
}

Tensor divide(const Tensor& x, const Tensor& y) {
  const Tensor z = mapped(function<fn::Divide>, {x, y});
  return record(z, {x, y}, [y = y.detached(), z](Gradients& g) {
    Tensor dx = mapped(function<fn::Divide>, {g.of(0), y});
    if (g.wanted(1)) {
      Tensor dy = mapped(function<fn::Multiply>, {dx, z});
      map_into(dy, function<fn::Affine>, {dy}, {.a = -1});
      g.add(1, std::move(dy));
    }
    g.add(0, std::move(dx));
  });
}

Tensor maximum(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Maximum>, {x, y}), {x, y},
                [x = x.detached(), y = y.detached()](Gradients& g) {
                  share_out(g, mapped(function<fn::AtMost>, {y, x}));
                });
}

Tensor minimum(const Tensor& x, const Tensor& y) {
  return record(mapped(function<fn::Minimum>, {x, y}), {x, y},
                [x = x.detached(), y = y.detached()](Gradients& g) {
                  share_out(g, mapped(function<fn::AtMost>, {x, y}));
                });
}

Tensor maximum(const Tensor& x, double a) {
  return record(mapped(function<fn::MaximumWith>, {x}, {.a = a}), {x},
                [x = x.detached(), a](Gradients& g) {
                  g.add(0, mapped_over(function<fn::MaximumWithGradient>, g.take(), {x}, {.a = a}));
                });
}

Tensor minimum(const Tensor& x, double a) {
  return record(mapped(function<fn::MinimumWith>, {x}, {.a = a}), {x},
                [x = x.detached(), a](Gradients& g) {
                  g.add(0, mapped_over(function<fn::MinimumWithGradient>, g.take(), {x}, {.a = a}));
                });
}

Tensor affine(const Tensor& x, double a, double b) {
  return record(mapped(function<fn::Affine>, {x}, {.a = a, .b = b}), {x}, [a](Gradients& g) {
    g.add(0, a == 1 ? g.take() : mapped_over(function<fn::Affine>, g.take(), {}, {.a = a}));
  });
}

Tensor absolute(const Tensor& x) {
  return record(mapped(function<fn::Abs>, {x}), {x}, [x = x.detached()](Gradients& g) {
    Tensor dx = mapped(function<fn::Sign>, {x});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    g.add(0, std::move(dx));
  });
}

Tensor reciprocal(const Tensor& x) {
  Tensor y = mapped(function<fn::Reciprocal>, {x});
  return record(y, {x}, [y](Gradients& g) {
    Tensor dx = mapped(function<fn::Multiply>, {y, y});
    map_into(dx, function<fn::Multiply>, {dx, g.of(0)});
    map_into(dx, function<fn::Affine>, {dx}, {.a = -1});
    g.add(0, std::move(dx));
  });
}

Tensor clamp(const Tensor& x, double lo, double hi) {
  require(lo <= hi, "clamp: saw bounds {} and {}, needs the lower one first", lo, hi);
  const MapScalars bounds{.a = lo, .b = hi};
  return record(mapped(function<fn::Clamp>, {x}, bounds), {x},
                [x = x.detached(), bounds](Gradients& g) {
                  g.add(0, mapped_over(function<fn::ClampGradient>, g.take(), {x}, bounds));
                });
}

}  // namespace heed
