#include "heed/base/allowance.h"

#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

thread_local Allowance* present_allowance = nullptr;

}  // namespace

UseAllowance::UseAllowance(Allowance& allowance)
    : before_(std::exchange(present_allowance, &allowance)) {}

UseAllowance::~UseAllowance() { present_allowance = before_; }

bool goes_on() { return present_allowance == nullptr || present_allowance->goes_on(); }

void check_goes_on() {
  if (!goes_on()) {
    fail(Fault::cancelled, "request: it was cancelled before its end");
  }
}

HeldBytes::HeldBytes(std::size_t bytes) { grow_to(bytes); }

HeldBytes::HeldBytes(HeldBytes&& other) noexcept
    : allowance_(other.allowance_), bytes_(std::exchange(other.bytes_, 0)) {}

HeldBytes& HeldBytes::operator=(HeldBytes&& other) noexcept {
  std::swap(allowance_, other.allowance_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

HeldBytes::~HeldBytes() {
  if (bytes_ > 0) {
    allowance_->give_back(bytes_);
  }
}

void HeldBytes::grow_to(std::size_t bytes) {
  allowance_ = bytes_ > 0 ? allowance_ : present_allowance;
  if (allowance_ != nullptr && bytes > bytes_) {
    allowance_->take(bytes - bytes_);
    bytes_ = bytes;
  }
}

}  // namespace heed
