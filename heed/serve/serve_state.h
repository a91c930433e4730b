// What the routes of a server share.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "heed/api/engine.h"
#include "heed/serve/calls_under_way.h"
#include "heed/serve/clerk.h"
#include "heed/serve/meters.h"
#include "heed/serve/serve_options.h"
#include "heed/serve/served_model.h"

namespace heed {

struct ServeState {
  ServeState(const ServeOptions& wanted, Engine with, std::vector<ServedModel> served,
             std::string shown_version)
      : options(wanted),
        engine(std::move(with)),
        models(std::move(served)),
        version(std::move(shown_version)),
        clerk(static_cast<std::size_t>(options.queue)) {}

  const ServeOptions options;
  const Engine engine;
  const std::vector<ServedModel> models;
  const std::string version;  // of the program
  const std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  Meters meters;                          // of the talking thread
  std::atomic<bool> is_draining = false;  // the server takes no new work
  Clerk clerk;
  CallsUnderWay calls;

  /// The clerk begins nothing any more, then what is under way is cancelled.
  ~ServeState() { clerk.stop(); }
  ServeState(const ServeState&) = delete;
  ServeState& operator=(const ServeState&) = delete;
  /// Requests that wait or are being answered.
  std::size_t asked() const { return clerk.waiting() + calls.size(); }
};

}  // namespace heed
