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

  /// Removes the folder again if this object has made it and nothing else is in it.
  void give_up();

  const std::string& path() const { return path_; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  /// The best model so far; without validation, the last.
  std::string model() const { return path_ + "/model.safetensors"; }
  std::string metrics() const { return path_ + "/metrics.jsonl"; }
  std::string samples() const { return path_ + "/samples"; }

 private:
  std::string path_;
  bool is_new_ = false;
  // The system releases both when the process ends. The folder itself is locked as well, because its
  // file `lock` may be deleted.
  Descriptor folder_lock_;
  Descriptor lock_;
};

/// Renames the folder to the first free name of RUN.1, RUN.2, … and returns it; empty if there is
/// no folder. Nothing is ever deleted.
std::string set_aside(const std::string& run);

}  // namespace heed
