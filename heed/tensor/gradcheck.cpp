#include "heed/tensor/gradcheck.h"

#include <cmath>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

using Differentiated = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

Tensor weights_like(const Tensor& output, const GradcheckOptions& options, size_t place) {
  return Tensor::random(output.shape(), Distribution::normal, {options.seed, 0, place},
                        output.place());
}

double dot(const Tensor& a, const Tensor& b) {
  const auto x = a.values();
  const auto y = b.values();
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

double loss(const Differentiated& f, std::span<const Tensor> inputs,
            const GradcheckOptions& options) {
  const NoGrad no_grad;
  const std::vector<Tensor> outputs = f(inputs);
  double sum = 0;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (is_real(outputs[k].dtype())) {
      sum += dot(weights_like(outputs[k], options, k), outputs[k]);
    }
  }
  return sum;
}

/// x + h d
Tensor moved(const Tensor& x, const std::vector<double>& direction, double h) {
  std::vector<double> values = x.values();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] += h * direction[i];
  }
  return Tensor::of(values, x.shape(), x.place());
}

std::vector<Tensor> gradients(const Differentiated& f, const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs) {
    require(input.dtype() == DType::f64, "gradcheck: saw {}, needs f64", name_of(input.dtype()));
    leaves.push_back(input.clone());
    leaves.back().watch();
  }
  const std::vector<Tensor> outputs = f(leaves);
  // One node has all outputs as inputs, so that backward visits shared history once.
  std::vector<Tensor> watched;
  std::vector<Tensor> seeds;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].needs_gradient()) {
      watched.push_back(outputs[k]);
      seeds.push_back(weights_like(outputs[k], options, k));
    }
  }
  require(!watched.empty(), "gradcheck: saw no output that depends on an input");
  Tensor joined = Tensor::zeros({}, outputs[0].place());
  record(std::span(&joined, 1), watched, [seeds](Gradients& g) {
    for (size_t k = 0; k < seeds.size(); ++k) {
      g.add(k, seeds[k]);
    }
  });
  joined.backward();
  std::vector<Tensor> result;
  for (const Tensor& leaf : leaves) {
    result.push_back(leaf.gradient().defined() ? leaf.gradient()
                                               : Tensor::zeros(leaf.shape(), leaf.place()));
  }
  return result;
}

/// ±1 for the inputs that vary (input `only`, or all if `only` is out of range), scaled to unit
/// length.
std::vector<std::vector<double>> direction(const std::vector<Tensor>& inputs, size_t only,
                                           uint64_t seed, uint64_t round) {
  std::vector<std::vector<double>> all;
  double count = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool moves = only >= inputs.size() || only == i;
    std::vector<double> d(static_cast<size_t>(inputs[i].numel()), 0.0);
    if (moves) {
      const auto draw = Tensor::random(inputs[i].shape(), Distribution::uniform,
                                       {seed, round + 1, i}, inputs[i].place())
                            .values();
      for (size_t e = 0; e < d.size(); ++e) {
        d[e] = draw[e] < 0.5 ? -1 : 1;
      }
      count += static_cast<double>(d.size());
    }
    all.push_back(std::move(d));
  }
  for (auto& d : all) {
    for (double& value : d) {
      value /= std::sqrt(std::max(count, 1.0));
    }
  }
  return all;
}

}  // namespace

GradcheckResult gradcheck(const Differentiated& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const std::vector<Tensor> exact = gradients(f, inputs, options);
  GradcheckResult result;
  for (size_t only = 0; only <= inputs.size(); ++only) {
    for (int round = 0; round < options.directions; ++round) {
      const auto d = direction(inputs, only, options.seed, static_cast<uint64_t>(round));
      std::vector<Tensor> ahead;
      std::vector<Tensor> behind;
      double expected = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        ahead.push_back(moved(inputs[i], d[i], options.step));
        behind.push_back(moved(inputs[i], d[i], -options.step));
        expected += dot(exact[i], Tensor::of(d[i], inputs[i].shape(), inputs[i].place()));
      }
      const double measured =
          (loss(f, ahead, options) - loss(f, behind, options)) / (2 * options.step);
      const double scale = std::max({std::abs(expected), std::abs(measured), options.scale_floor});
      const double difference = std::abs(expected - measured) / scale;
      // The negation makes NaN fail.
      if (!(difference <= options.tolerance) && result.failure.empty()) {
        result.failure = fmt::format(
            "input {}: gradient along the direction is {:.9g}, finite difference {:.9g} "
            "(relative {:.3g}, allowed {:.3g})",
            only < inputs.size() ? std::to_string(only) : "all", expected, measured, difference,
            options.tolerance);
      }
      result.worst = std::max(result.worst, difference);
    }
  }
  return result;
}

GradcheckResult gradcheck(const std::function<Tensor(std::span<const Tensor>)>& f,
                          const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  return gradcheck(
      Differentiated([&f](std::span<const Tensor> x) { return std::vector<Tensor>{f(x)}; }), inputs,
      options);
}

}  // namespace heed
