// A thread that does one thing after the other, so that whoever talks to clients and whoever computes never
// waits for it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace heed {

class Clerk {
 public:
  Clerk() : thread_([this] { work(); }) {}
  ~Clerk() { stop(); }
  Clerk(const Clerk&) = delete;
  Clerk& operator=(const Clerk&) = delete;

  void begin(std::function<void()> task);
  /// The same for what goes on with something that was begun: it comes before what begins.
  void go_on(std::function<void()> task);
  /// What waits is dropped, what is being done is finished, and nothing is done any more.
  void stop();

 private:
  using Tasks = std::deque<std::function<void()>>;
  void add(Tasks& tasks, std::function<void()> task);
  void work();

  std::mutex guard_;
  std::condition_variable changed_;
  Tasks beginning_;
  Tasks going_on_;
  bool is_over_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace heed
