#include "heed/serve/clerk.h"

#include <exception>
#include <utility>

namespace heed {

void Clerk::stop() {
  std::deque<std::function<void()>> dropped;
  std::deque<std::function<void()>> dropped_too;
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
    dropped.swap(tasks_);
    dropped_too.swap(going_on_);
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

bool Clerk::give(std::function<void()> task) {
  {
    const std::lock_guard lock(guard_);
    if (is_over_ || tasks_.size() >= most_) {
      return false;
    }
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

void Clerk::go_on(std::function<void()> task) {
  {
    const std::lock_guard lock(guard_);
    if (is_over_) {
      return;
    }
    going_on_.push_back(std::move(task));
  }
  changed_.notify_one();
}

std::size_t Clerk::waiting() const {
  const std::lock_guard lock(guard_);
  return tasks_.size();
}

void Clerk::work() {
  std::unique_lock lock(guard_);
  for (;;) {
    changed_.wait(lock, [this] { return is_over_ || !tasks_.empty() || !going_on_.empty(); });
    if (is_over_) {
      return;
    }
    auto& first = going_on_.empty() ? tasks_ : going_on_;
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
