// A fixed pool of workers that runs the chunks of one loop at a time, the caller taking part.
//
// The chunk grid is the caller's and must be a function of shape only; chunks then run in any order
// on any thread and the result does not depend on how many threads there are. A nested call, or a
// call made while another thread holds the pool, runs its chunks inline in order. Nothing is
// allocated by parallel_for.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace heed {

class ThreadPool {
 public:
  static constexpr int most_threads = 1024;

  /// `threads` counts the caller: ThreadPool(1) has no workers.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_.load(std::memory_order_relaxed); }
  /// Waits for the running loop, then replaces the workers. Must not be called from inside a chunk.
  void resize(int threads);
  /// Waits for the running loop, then calls fn() once on each of the pool's threads, including the
  /// caller. Must not be called from inside a chunk; fn must not throw.
  void run_on_every_thread(void (*fn)());

  /// Calls fn(chunk) for every chunk in [0, chunks) and returns when all have ended. If chunks
  /// throw, the exception of the lowest one is rethrown; every chunk below it has run, chunks above
  /// it may have been skipped.
  template <class Fn>
  void parallel_for(std::int64_t chunks, Fn&& fn) {
    run(chunks, call_of(fn));
  }

 private:
  struct Call {
    void (*invoke)(void*, std::int64_t) = nullptr;
    void* context = nullptr;
  };
  template <class Fn>
  static Call call_of(Fn& fn) {
    const void* context = std::addressof(fn);
    return {[](void* target, std::int64_t chunk) { (*static_cast<Fn*>(target))(chunk); },
            const_cast<void*>(context)};
  }

  static void check_outside();
  void run(std::int64_t chunks, Call call);
  void run_shared(std::uint32_t chunks, Call call);
  void start(int threads);
  void stop();
  void work();
  void take_chunks();
  void run_chunk(std::int64_t chunk);
  int spins() const;

  // One loop at a time: the holder of turn_ publishes call_ and chunks_, then sets remaining_. A
  // thread owns a chunk once it has counted remaining_ down, and only then reads call_ and chunks_:
  // they cannot change until unfinished_ reaches zero, which the owned chunk prevents. Workers
  // sleep on remaining_, the caller on unfinished_.
  std::mutex turn_;
  Call call_;
  std::uint32_t chunks_ = 0;
  std::atomic<std::int64_t> failed_chunk_{0};  // the lowest that threw, or chunks_
  std::mutex failure_guard_;
  std::exception_ptr failure_;
  alignas(64) std::atomic<std::uint32_t> remaining_{0};
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  std::atomic<int> threads_{1};
  std::vector<std::thread> workers_;
  int owner_process_ = 0;
};

/// The number of threads that the machine runs at once.
int machine_threads();
/// The pool that this thread's loops run on: that of the innermost UsePool, or the process's pool,
/// with as many threads as set_threads says or as the machine has.
ThreadPool& thread_pool();
/// Sets the number of threads of the process's pool.
void set_threads(int threads);
/// The number of threads of the pool that this thread's loops run on.
int threads();

/// As long as it lives, this thread's loops run on `pool`. A thread that works for another uses
/// this to take over the other's pool.
class UsePool {
 public:
  explicit UsePool(ThreadPool& pool);
  ~UsePool();
  UsePool(const UsePool&) = delete;
  UsePool& operator=(const UsePool&) = delete;

 private:
  ThreadPool* before_;
};

template <class Fn>
void parallel_for(std::int64_t chunks, Fn&& fn) {
  thread_pool().parallel_for(chunks, fn);
}

}  // namespace heed
