// What a server counts, in Prometheus' text form (exposition format 0.0.4).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heed {

/// How many values were at most as large as each bound.
class Histogram {
 public:
  static constexpr std::array<double, 15> bounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                 0.5,   1,      2.5,   5,    10,    30,   60};
  void add(double value);
  /// Its lines; `labels` is empty or `name="value"`.
  std::string written(const std::string& name, const std::string& labels) const;

 private:
  std::array<uint64_t, bounds.size()> counts_{};  // of values between two bounds
  uint64_t count_ = 0;
  double sum_ = 0;
};

/// A figure that is read when it is asked for. Those that only grow have names in _total.
struct Gauge {
  std::string name;
  std::string help;
  double value = 0;
};

/// Used by one thread.
class Meters {
 public:
  void count(const std::string& route, int status, double seconds, uint64_t sent_bytes);
  std::string written(const std::vector<Gauge>& gauges) const;

 private:
  std::map<std::pair<std::string, int>, uint64_t> requests_;  // by route and status
  std::map<std::string, Histogram> seconds_;                  // by route
  uint64_t sent_bytes_ = 0;
};

}  // namespace heed
