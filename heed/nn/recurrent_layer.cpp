#include "heed/nn/recurrent_layer.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/grid.h"
#include "heed/ops/matmul.h"
#include "heed/ops/products.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

/// The index of f among an lstm's gates i, f, g, o.
constexpr int64_t forget_gate = 1;

}  // namespace

void RecurrentLayer::build(const Cell& cell, const Widths& widths, double forget_bias, Init& init) {
  const int64_t h = widths.hidden;
  cell_ = cell;
  input_.build_blocks(cell.gates, widths.in, h, init);
  weight_ = init.orthogonal(cell.gates, h, h);
  bias_ = init.zeros({cell.gates * h});
  if (cell.has_cell) {
    const Tensor& b = input_.bias();
    b.backend().fill(sliced(b.view(), 0, forget_gate * h, h), forget_bias);
  }
}

void RecurrentLayer::describe(Describer& d) {
  d.child("input", input_);
  d.weight("weight", weight_);
  d.parameter("bias", bias_);
}

RecurrentInput RecurrentLayer::input(const RecurrentState& before, Products* products) const {
  RecurrentInput in;
  in.weight = weight_;
  in.bias = bias_;
  if (cell_.joins_biases) {
    in.bias = products != nullptr ? products->joined(input_.bias(), bias_) : input_.bias() + bias_;
  }
  in.products = products;
  in.hidden = before.hidden;
  in.cell = before.cell;
  return in;
}

Tensor RecurrentLayer::projected(const Tensor& x, Products* products) const {
  const Tensor bias = cell_.joins_biases ? Tensor() : input_.bias();
  return linear(x, input_.weight(), bias, {.products = products});
}

RecurrentLayer::Output RecurrentLayer::operator()(const Tensor& x, const Layout& layout,
                                                  const RecurrentState& before,
                                                  bool reversed) const {
  if (layout.width() == 0) {  // without steps the state does not change
    const Tensor zero = Tensor::zeros({layout.count(), weight_.size(1)}, x.place());
    const auto kept = [&](const Tensor& state) { return state.defined() ? state : zero; };
    return {Tensor::zeros({x.size(0), weight_.size(1)}, x.place()),
            {kept(before.hidden), cell_.has_cell ? kept(before.cell) : Tensor()}};
  }
  RecurrentInput in = input(before, nullptr);
  in.projected = to_grid(projected(x, nullptr), layout);
  if (!layout.is_full()) {
    in.lengths = layout.length_tensor();
  }
  in.reversed = reversed;
  const RecurrentOutput out = cell_.run(in);
  return {to_rows(out.outputs, layout), {out.hidden, out.cell}};
}

RecurrentState RecurrentLayer::step(const Tensor& x, const RecurrentState& before,
                                    const Pass& pass) const {
  RecurrentInput in = input(before, pass.products());
  in.projected = unsqueeze(projected(x, in.products), 1);
  const RecurrentOutput out = cell_.run(in);
  return {out.hidden, out.cell};
}

}  // namespace heed
