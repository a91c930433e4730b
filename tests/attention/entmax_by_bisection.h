// α-entmax of a row in double, by bisection on its threshold, to compare kernels and ops with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace heed::test {

/// p_j = max(0, (α − 1)(e_j − max e) − τ)^(1/(α−1)) with Σ_j p_j = 1; zeros where all is closed.
inline std::vector<double> entmax_by_bisection(const std::vector<double>& e, double alpha) {
  const double peak = *std::max_element(e.begin(), e.end());
  if (peak == -std::numeric_limits<double>::infinity()) {
    return std::vector<double>(e.size(), 0);
  }
  const auto at = [&](double tau) {
    std::vector<double> p;
    for (const double each : e) {
      const double above = std::max(0.0, (alpha - 1) * (each - peak) - tau);
      p.push_back(std::pow(above, 1 / (alpha - 1)));
    }
    return p;
  };
  double low = -1;  // here the peak alone gives 1
  double high = 0;
  for (int round = 0; round < 200; ++round) {
    const double middle = (low + high) / 2;
    double total = 0;
    for (const double each : at(middle)) {
      total += each;
    }
    (total > 1 ? low : high) = middle;
  }
  return at((low + high) / 2);
}

}  // namespace heed::test
