#include "heed/serve/calls_under_way.h"

#include <utility>

#include "heed/serve/answer_call.h"

namespace heed {

void CallsUnderWay::add(std::shared_ptr<AnswerCall> call) {
  const std::lock_guard lock(guard_);
  calls_.insert(std::move(call));
}

void CallsUnderWay::remove(const std::shared_ptr<AnswerCall>& call) {
  const std::lock_guard lock(guard_);
  calls_.erase(call);
}

std::size_t CallsUnderWay::size() const {
  const std::lock_guard lock(guard_);
  return calls_.size();
}

}  // namespace heed
