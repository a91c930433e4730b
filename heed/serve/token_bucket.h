// How often each client may ask: a bucket of tokens for each, which fills at a rate up to its size, and from
// which every request takes one.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace heed {

class TokenBuckets {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `rate` tokens a second up to `size`; a rate of 0 lets everybody through.
  TokenBuckets(double rate, double size) : rate_(rate), size_(size) {}

  /// 0 if the client may go on; else the seconds until it may.
  double take(const std::string& client, Time now);
  std::size_t clients() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens;
    Time at;
  };
  void forget_full(Time now);

  double rate_;
  double size_;
  std::unordered_map<std::string, Bucket> buckets_;  // a client that has none has a full one
  std::size_t looked_at_ = 1024;                     // clients, when full buckets were dropped
};

}  // namespace heed
