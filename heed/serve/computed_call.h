// A request that one pass of a model answers: the engine computes it between two steps of its searches, and
// the clerk writes the answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

#include "heed/api/loaded_model.h"
#include "heed/http/exchange.h"
#include "heed/serve/calls_under_way.h"

namespace heed {

struct ServeState;

class ComputedCall : public CallUnderWay, public std::enable_shared_from_this<ComputedCall> {
 public:
  /// Computes on the engine's thread, and returns how the answer is written.
  using Writing = std::function<HttpResponse()>;
  using Compute = std::function<Writing()>;
  using FaultForm = std::function<HttpResponse(const std::exception& what)>;
  ComputedCall(HttpExchange exchange, Compute compute, FaultForm fault);

  /// `state` must outlive it.
  void begin(ServeState& state, const LoadedModel& model,
             std::chrono::steady_clock::time_point deadline);
  void end() override;

 private:
  void compute();
  void finish();

  HttpExchange exchange_;
  Compute compute_;
  FaultForm fault_;
  ServeState* state_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  Writing writing_;
  std::exception_ptr failure_;

  std::mutex guard_;
  std::condition_variable changed_;
  bool is_computed_ = false;
};

}  // namespace heed
