// Where models live and compute: a number of threads, memory of its own, and whoever hears of it.
//
// An engine is a handle: copies, and the models it has loaded, share it, and it lives as long as any
// of them. Its functions may be called from any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/api/loaded_model.h"
#include "heed/api/training_run.h"

namespace heed {

enum class LogLevel { info, warning };
using LogSink = std::function<void(LogLevel level, const std::string& line)>;

struct EngineOptions {
  std::string backend = "cpu";
  int threads = 0;            // 0: as many as the machine has
  uint64_t memory_limit = 0;  // bytes of tensors, those kept for reuse included; 0: no limit
  std::vector<std::string> model_folders = {};  // where `load` finds models by their names
  std::optional<std::string> data_folder = {};  // what $HEED_DATA stands for in recipes
  /// What a training has to say, on the thread that trains. Answers carry their own warnings.
  LogSink log = {};
};

struct LoadOptions {
  std::string precision = "f32";  // of products with weights: f32, bf16 or int8
};

struct MemoryUse {
  uint64_t in_use = 0;
  uint64_t kept = 0;  // for reuse
  uint64_t peak = 0;  // the most that was ever in use
  uint64_t limit = 0;
};

class Engine {
 public:
  explicit Engine(EngineOptions options = {});

  /// A model file or a checkpoint: its path, or its name in one of the folders.
  LoadedModel load(const std::string& model, const LoadOptions& options = {}) const;
  /// Until the run ends, is stopped, or fails: then the last checkpoint in its folder is whole.
  TrainingResult train(const TrainingRequest& request) const;

  MemoryUse memory() const;
  /// Gives memory that is kept for reuse back to the system. A training does so at its end.
  void trim() const;

 private:
  friend class LoadedModel;
  struct Core;

  std::shared_ptr<Core> core_;
};

}  // namespace heed
