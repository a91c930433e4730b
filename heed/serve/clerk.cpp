#include "heed/serve/clerk.h"

#include <exception>
#include <utility>

namespace heed {

void Clerk::stop() {
  Tasks dropped;
  Tasks dropped_too;
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
    dropped.swap(beginning_);
    dropped_too.swap(going_on_);
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Clerk::begin(std::function<void()> task) { add(beginning_, std::move(task)); }

void Clerk::go_on(std::function<void()> task) { add(going_on_, std::move(task)); }

void Clerk::add(Tasks& tasks, std::function<void()> task) {
  {
    const std::lock_guard lock(guard_);
    if (is_over_) {
      return;
    }
    tasks.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Clerk::work() {
  std::unique_lock lock(guard_);
  for (;;) {
    changed_.wait(lock, [this] { return is_over_ || !beginning_.empty() || !going_on_.empty(); });
    if (is_over_) {
      return;
    }
    Tasks& first = going_on_.empty() ? beginning_ : going_on_;
    std::function<void()> task = std::move(first.front());
    first.pop_front();
    lock.unlock();
    try {
      task();
    } catch (const std::exception&) {
      // It had to answer its faults itself; what it did not answer is answered when it goes.
    }
    task = nullptr;
    lock.lock();
  }
}

}  // namespace heed
