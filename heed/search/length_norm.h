// The divisor of a hypothesis's log-probability, without which short hypotheses would always win.
#pragma once

#include <cstdint>
#include <string>

namespace heed {

class LengthNorm {
 public:
  LengthNorm(const std::string& name, double alpha);
  /// For |Y| = length ≥ 1.
  double operator()(int64_t length) const { return of_(static_cast<double>(length), alpha_); }

 private:
  double (*of_)(double length, double alpha);
  double alpha_;
};

}  // namespace heed
