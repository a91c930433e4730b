// A run's folder, locked by one process at a time:
//
//   RUN/checkpoints/step-00001000.safetensors   RUN/model.safetensors   RUN/metrics.jsonl
//   RUN/samples/step-00001000.txt, .1.svg, …   RUN/events.out.tfevents.…   RUN/lock
#pragma once

#include <string>

#include "heed/base/descriptor.h"

namespace heed {

class RunFolder {
 public:
  /// Makes it if missing and locks it; an Error if another process trains in it. Removes temporary
  /// files that a killed process left.
  explicit RunFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  /// The best model so far; without validation, the last.
  std::string model() const { return path_ + "/model.safetensors"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string samples() const { return path_ + "/samples"; }

 private:
  std::string path_;
  Descriptor lock_;  // the system releases it when the process ends
};

/// Renames the folder to the first free name of RUN.1, RUN.2, … and returns it; empty if there is
/// no folder. Nothing is ever deleted.
std::string set_aside(const std::string& run);

}  // namespace heed
