#include "heed/serve/calls_under_way.h"

#include <utility>

namespace heed {

void CallsUnderWay::add(std::shared_ptr<CallUnderWay> call) {
  const std::lock_guard lock(guard_);
  calls_.insert(std::move(call));
}

void CallsUnderWay::remove(const std::shared_ptr<CallUnderWay>& call) {
  const std::lock_guard lock(guard_);
  calls_.erase(call);
}

void CallsUnderWay::end() {
  std::set<std::shared_ptr<CallUnderWay>> all;
  {
    const std::lock_guard lock(guard_);
    all.swap(calls_);
  }
  for (const auto& call : all) {
    call->end();
  }
}

}  // namespace heed
