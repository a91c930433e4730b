// The routes that one pass of a model answers: score, align, attention, operator.
#pragma once

#include <memory>
#include <utility>

#include "heed/serve/computed_call.h"
#include "heed/serve/fault_answer.h"
#include "heed/serve/route.h"

namespace heed {

class ComputedRoute : public Route {
 public:
  bool is_quick() const override { return false; }

 protected:
  /// The route goes before it is computed: `compute` must not refer to it.
  void answer_computed(const HttpExchange& exchange, ServeState& state, const LoadedModel& model,
                       ComputedCall::Compute compute) const {
    std::make_shared<ComputedCall>(exchange, std::move(compute), [](const std::exception& what) {
      return fault_answer(what);
    })->begin(state, model, deadline());
  }
};

}  // namespace heed
