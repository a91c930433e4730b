#include "tests/support/directional.h"

#include <cmath>

#include "heed/tensor/tape.h"

namespace heed::test {
namespace {

constexpr double step = 1e-5;
constexpr double scale_floor = 1e-2;

using Values = std::vector<std::vector<double>>;

void move(const std::vector<Tensor>& leaves, const Values& from, const Values& direction,
          double h) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    std::vector<double> moved = from[i];
    for (size_t e = 0; e < moved.size(); ++e) {
      moved[e] += h * direction[i][e];
    }
    leaves[i].backend().upload(leaves[i].view(), moved.data());
  }
}

Values random_direction(const std::vector<Tensor>& leaves, uint64_t round) {
  Values direction;
  double count = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    auto draw =
        Tensor::random(leaves[i].shape(), Distribution::uniform, {77, round, i}, leaves[i].place())
            .values();
    for (double& value : draw) {
      value = value < 0.5 ? -1 : 1;
    }
    count += static_cast<double>(draw.size());
    direction.push_back(std::move(draw));
  }
  for (auto& part : direction) {
    for (double& value : part) {
      value /= std::sqrt(count);
    }
  }
  return direction;
}

}  // namespace

::testing::AssertionResult gradient_agrees(const std::vector<Tensor>& leaves,
                                           const std::function<Tensor()>& loss, int directions,
                                           double tolerance) {
  Values start;
  for (Tensor leaf : leaves) {
    leaf.clear_gradient();
    start.push_back(leaf.values());
  }
  loss().backward();
  const NoGrad no_grad;
  for (int round = 0; round < directions; ++round) {
    const Values d = random_direction(leaves, static_cast<uint64_t>(round));
    double expected = 0;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!leaves[i].gradient().defined()) {
        continue;
      }
      const auto gradient = leaves[i].gradient().values();
      for (size_t e = 0; e < gradient.size(); ++e) {
        expected += gradient[e] * d[i][e];
      }
    }
    move(leaves, start, d, step);
    const double ahead = loss().item();
    move(leaves, start, d, -step);
    const double behind = loss().item();
    move(leaves, start, d, 0);
    const double measured = (ahead - behind) / (2 * step);
    const double scale = std::max({std::abs(expected), std::abs(measured), scale_floor});
    if (!(std::abs(expected - measured) <= tolerance * scale)) {
      return ::testing::AssertionFailure()
             << "gradient along the direction is " << expected << ", finite difference " << measured
             << ", relative " << std::abs(expected - measured) / scale;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace heed::test
