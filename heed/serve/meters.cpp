#include "heed/serve/meters.h"

#include <fmt/core.h>

#include <algorithm>

namespace heed {
namespace {

std::string headed(const std::string& name, const char* type, const std::string& help) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void Histogram::add(double value) {
  const auto* const bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  if (bound != bounds.end()) {
    ++counts_.at(static_cast<std::size_t>(bound - bounds.begin()));
  }
  ++count_;
  sum_ += value;
}

std::string Histogram::written(const std::string& name, const std::string& labels) const {
  const std::string before = labels.empty() ? "" : labels + ",";
  const std::string alone = labels.empty() ? "" : "{" + labels + "}";
  std::string lines;
  uint64_t below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    below += counts_.at(i);
    lines += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, before, bounds.at(i), below);
  }
  lines += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n", name, before, count_);
  return lines +
         fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, alone, sum_, name, alone, count_);
}

void Meters::count(const std::string& route, int status, double seconds, uint64_t sent_bytes) {
  ++requests_[{route, status}];
  seconds_[route].add(seconds);
  sent_bytes_ += sent_bytes;
}

std::string Meters::written(const std::vector<Gauge>& gauges) const {
  std::string text = headed("heed_requests_total", "counter", "Requests by route and status.");
  for (const auto& [what, count] : requests_) {
    text += fmt::format("heed_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", what.first,
                        what.second, count);
  }
  text += headed("heed_request_seconds", "histogram",
                 "From the end of a request to the end of its answer.");
  for (const auto& [route, seconds] : seconds_) {
    text += seconds.written("heed_request_seconds", fmt::format("route=\"{}\"", route));
  }
  text += headed("heed_sent_bytes_total", "counter", "Bytes of answers.");
  text += fmt::format("heed_sent_bytes_total {}\n", sent_bytes_);
  for (const Gauge& gauge : gauges) {
    text += headed(gauge.name, gauge.name.ends_with("_total") ? "counter" : "gauge", gauge.help);
    text += fmt::format("{} {}\n", gauge.name, gauge.value);
  }
  return text;
}

}  // namespace heed
