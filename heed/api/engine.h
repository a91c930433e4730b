// An engine loads models and trains them. It has its own threads, its own memory and a log.
//
// An Engine is a handle: its copies and the models that it has loaded share one engine, which lives
// as long as any of them. Its functions may be called from any number of threads at once.
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
  uint64_t memory_limit = 0;  // bytes for tensors, for decoding and kept for reuse; 0: no limit
  std::vector<std::string> model_folders = {};  // where `load` finds models by their names
  std::optional<std::string> data_folder = {};  // what $HEED_DATA stands for in recipes
  /// Receives the messages of a training, on the thread that trains. Answers carry their own
  /// warnings. Without a log the messages are dropped.
  LogSink log = {};
};

struct LoadOptions {
  std::string precision = "f32";  // in which weights are multiplied: f32, bf16 or int8
  bool monotonic = false;  // attention only moves forwards, as with heed translate --monotonic
};

struct MemoryUse {
  uint64_t in_use = 0;
  uint64_t kept = 0;   // freed by tensors, and kept for the next ones
  uint64_t peak = 0;   // the most that was ever in use
  uint64_t limit = 0;  // 0: no limit
};

/// What an engine has searched so far.
struct SearchUse {
  uint64_t steps = 0;    // of all searches
  uint64_t sources = 0;  // or parts of them that were searched
  uint64_t joins = 0;    // of these, those that joined others under way
};

class Engine {
 public:
  explicit Engine(EngineOptions options = {});

  /// Loads a model file or a checkpoint, given by its path or by its name in one of model_folders.
  LoadedModel load(const std::string& model, const LoadOptions& options = {}) const;
  /// Trains until the run is finished or stopped. If it fails, the last checkpoint in its folder
  /// can be used to go on. An exception of `on_step` passes through as it is.
  TrainingResult train(const TrainingRequest& request) const;

  MemoryUse memory() const;
  SearchUse search_use() const;
  /// Gives memory that is kept for reuse back to the system. A training does this when it ends.
  void trim() const;

 private:
  friend class LoadedModel;
  struct Core;

  std::shared_ptr<Core> core_;
};

}  // namespace heed
