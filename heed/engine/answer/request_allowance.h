// What a request may take outside of tensors: it goes on until it is cancelled, and the bytes that
// its decoding holds count as memory of the model's backend.
#pragma once

#include <functional>

#include "heed/base/allowance.h"
#include "heed/model/file/model_file.h"

namespace heed {

class RequestAllowance : public Allowance {
 public:
  /// `is_cancelled` may be empty, and must not throw.
  explicit RequestAllowance(const TrainedModel& trained, std::function<bool()> is_cancelled = {})
      : memory_(trained.model->place().backend->allocator()),
        is_cancelled_(std::move(is_cancelled)) {}

  bool goes_on() const override { return !is_cancelled_ || !is_cancelled_(); }
  void take(size_t bytes) override { memory_.take(bytes); }
  void give_back(size_t bytes) override { memory_.give_back(bytes); }

 private:
  CachingAllocator& memory_;
  std::function<bool()> is_cancelled_;
};

}  // namespace heed
