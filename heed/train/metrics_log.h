// RUN/metrics.jsonl: one JSON object a line, each with its "step".
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/descriptor.h"
#include "heed/base/json.h"

namespace heed {

class MetricsLog {
 public:
  /// Goes on after `step`: lines of later steps, and a last one that a crash cut short, are
  /// dropped, because the run will write them again.
  MetricsLog(std::string path, int64_t step);

  /// Fault::disk where it cannot.
  void add(const Json& line);

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace heed
