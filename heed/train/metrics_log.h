// RUN/metrics.jsonl: one JSON object a line, each with its "step".
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/json.h"
#include "heed/train/growing_file.h"

namespace heed {

class MetricsLog {
 public:
  /// Continues after `step`: lines of later steps, and a last line that a crash cut short, are
  /// dropped, because the run will write them again. So is the validation of `step` itself if
  /// `owes_validation`.
  MetricsLog(const std::string& path, int64_t step, bool owes_validation);

  void add(const Json& line) { file_.add(line.write() + "\n"); }
  /// See GrowingFile.
  void add_rest() { file_.add(""); }
  const std::string& trouble() const { return file_.trouble(); }

 private:
  GrowingFile file_;
};

}  // namespace heed
