#include "heed/ops/residual_norm.h"

#include <array>

#include "heed/ops/arithmetic.h"
#include "heed/ops/dropout.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/mapped.h"
#include "heed/ops/normalised_rows.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/rows.h"

namespace heed {
namespace {

ResidualNormed composed(const Tensor& x, const Tensor& branch, const BranchDropout& drop,
                        const NormForm& norm) {
  const Tensor sum = x + dropout(branch, drop.rate, drop.key);
  return {sum, norm.is_centred ? layer_norm(sum, norm.weight, norm.bias, norm.epsilon)
                               : rms_norm(sum, norm.weight, norm.epsilon)};
}

/// Inputs are x, branch, weight and bias; outputs are s and y.
void pass_back(const NormalisedRows& rows, const BranchDropout& drop, Gradients& g) {
  if (!g.arrived(1)) {  // nothing depends on y
    const Tensor& ds = g.of(0);
    g.add(1, drop.rate > 0 ? dropout_gradient(ds, drop.rate, drop.key) : ds);
    return g.add(0, ds);
  }
  const Shape shape = g.of(1).shape();
  const NormGradientCall made = norm_gradient_call(rows, g.of(1), {true, g.wanted(2), g.wanted(3)});
  const bool has_dropout = drop.rate > 0 && g.wanted(1);
  const Tensor dbranch = has_dropout ? Tensor::empty(rows.x.shape(), rows.x.place()) : Tensor();
  const Tensor dsum = g.arrived(0) ? as_rows(g.of(0), "residual_norm").dense() : Tensor();
  const auto key = drop.key.for_kernel();
  rows.x.backend().run_fused(ResidualNormGradient{.dsum = dsum ? dsum.view() : View{},
                                                  .dbranch = dbranch ? dbranch.view() : View{},
                                                  .rate = drop.rate,
                                                  .key = key,
                                                  .norm = made.call});
  const Tensor ds = shaped(made.dx, shape);
  g.add(1, has_dropout ? shaped(dbranch, shape) : ds);
  g.add(0, ds);
  if (made.dweight) {
    g.add(2, made.dweight);
  }
  if (made.dbias) {
    g.add(3, made.dbias);
  }
}

}  // namespace

ResidualNormed residual_norm(const Tensor& x, const Tensor& branch, const BranchDropout& drop,
                             const NormForm& norm) {
  require_row_vector(norm.weight, x, "residual_norm");
  require_row_vector(norm.bias, x, "residual_norm");
  require(x.shape() == branch.shape() && x.place() == branch.place(),
          "residual_norm: saw rows {} and a branch {}, needs equal shapes at one place", x.shape(),
          branch.shape());
  Backend& backend = x.backend();
  if (x.dtype() != DType::f32 || x.numel() == 0 || !backend.offers<ResidualNorm>() ||
      !backend.offers<ResidualNormGradient>()) {
    return composed(x, branch, drop, norm);
  }
  const Tensor given = as_rows(x, "residual_norm").dense();
  const Tensor added = as_rows(branch, "residual_norm").dense();
  NormalisedRows rows{Tensor::empty(given.shape(), given.place()),
                      {},
                      {},
                      norm.weight ? norm.weight.detached() : Tensor()};
  const NormCall made = norm_call(rows, norm.bias, norm.epsilon, norm.is_centred);
  const bool is_done = backend.run_fused(ResidualNorm{.x = given.view(),
                                                      .branch = added.view(),
                                                      .rate = drop.rate,
                                                      .key = drop.key.for_kernel(),
                                                      .norm = made.call});
  if (!is_done) {
    return composed(x, branch, drop, norm);
  }
  std::array<Tensor, 2> outputs = {shaped(rows.x, x.shape()), shaped(made.y, x.shape())};
  const std::array<Tensor, 4> inputs = {x, branch, norm.weight, norm.bias};
  record(outputs, inputs, [rows, drop](Gradients& g) { pass_back(rows, drop, g); });
  return {outputs[0], outputs[1]};
}

}  // namespace heed
