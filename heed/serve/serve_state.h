// What the routes of a server share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
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
        version(std::move(shown_version)) {}

  const ServeOptions options;
  const Engine engine;
  const std::vector<ServedModel> models;
  const std::string version;  // of the program
  const std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  Meters meters;                          // of the talking thread
  std::atomic<bool> is_draining = false;  // the server takes no new work
  Clerk clerk;
  CallsUnderWay calls;

  ~ServeState() { end(); }
  ServeState(const ServeState&) = delete;
  ServeState& operator=(const ServeState&) = delete;
  /// The clerk begins nothing any more, then what is under way is given up.
  void end() {
    clerk.stop();
    calls.end();
  }
  /// Requests that wait or are being answered.
  int64_t asked() const { return *asked_; }
  /// Is one of them as long as it lives.
  std::shared_ptr<const void> asking() const {
    ++*asked_;
    return {this, [count = asked_](const void*) { --*count; }};
  }

 private:
  std::shared_ptr<std::atomic<int64_t>> asked_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace heed
