// Writes metrics.jsonl, TensorBoard's events, and samples/ with translations and heat maps. A full
// disk does not stop a run: what could not be written is kept and tried again with the next writes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/metric/metric.h"
#include "heed/train/event_file.h"
#include "heed/train/metrics_log.h"
#include "heed/train/run_folder.h"

namespace heed {

/// A translation to look at; the drawings are empty if the model has no attention.
struct Sample {
  std::string output;
  std::string svg;
  std::string png;
};

/// Translates source texts and draws them.
using Show = std::function<std::vector<Sample>(std::span<const std::string>)>;

class Record {
 public:
  /// Continues after `step`; see MetricsLog.
  Record(const RunFolder& folder, int64_t step, bool owes_validation = false);

  /// A line of metrics.jsonl, which must have its "step", and what TensorBoard shows of it.
  void add(const Json& line, const TaggedNumbers& scalars);
  void add_samples(int64_t step, std::span<const std::string> sources,
                   std::span<const References> references, std::span<const Sample> samples);

  /// What could not be written, the first time after everything could; empty otherwise.
  std::string new_trouble();
  /// Tries once more; Fault::disk if something is still waiting.
  void close();

 private:
  void write_samples();
  std::string trouble() const;

  std::string samples_;  // the folder
  MetricsLog log_;
  EventFile events_;
  std::map<std::string, std::string> waiting_;  // samples by their paths
  std::string unwritten_;                       // why they are waiting
  bool was_in_trouble_ = false;
};

}  // namespace heed
