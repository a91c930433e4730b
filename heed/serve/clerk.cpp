#include "heed/serve/clerk.h"

#include <exception>
#include <utility>

namespace heed {

Clerk::~Clerk() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(guard_);
    is_over_ = true;
    dropped.swap(tasks_);
  }
  changed_.notify_one();
  thread_.join();
}

bool Clerk::give(std::function<void()> task) {
  {
    const std::lock_guard lock(guard_);
    if (tasks_.size() >= most_) {
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
    tasks_.push_front(std::move(task));
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
    changed_.wait(lock, [this] { return is_over_ || !tasks_.empty(); });
    if (is_over_) {
      return;
    }
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
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
