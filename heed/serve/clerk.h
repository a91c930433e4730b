// A thread that does one thing after the other, so that whoever talks to clients never waits for it. Only so
// many things wait for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heed {

class Clerk {
 public:
  explicit Clerk(std::size_t most_waiting) : most_(most_waiting), thread_([this] { work(); }) {}
  ~Clerk() { stop(); }
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  /// False if too many wait already.
  bool give(std::function<void()> task);
  /// Like give, for what goes on with something that was taken before: it is never refused.
  void go_on(std::function<void()> task);
  std::size_t waiting() const;
  /// What waits is dropped, what is being done is finished, and nothing is begun any more.
  void stop();

 private:
  void work();

  const std::size_t most_;
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::deque<std::function<void()>> going_on_;  // come before the others
  bool is_over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace heed
