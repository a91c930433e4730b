// An allowance for tests: it counts what is held, and ends after so many questions whether to go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "heed/base/allowance.h"

namespace heed::test {

class CountedWork : public Allowance {
 public:
  explicit CountedWork(long questions = std::numeric_limits<long>::max()) : left_(questions) {}

  bool goes_on() const override { return left_-- > 0; }
  void take(std::size_t bytes) override {
    held_ += bytes;
    most_ = std::max(most_, held_);
  }
  void give_back(std::size_t bytes) override { held_ -= bytes; }

  long left() const { return left_; }
  std::size_t held() const { return held_; }
  std::size_t most() const { return most_; }

 private:
  mutable long left_;
  std::size_t held_ = 0;
  std::size_t most_ = 0;
};

}  // namespace heed::test
