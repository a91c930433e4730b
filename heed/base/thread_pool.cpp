#include "heed/base/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "heed/base/ending_signals.h"
#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::uint32_t stop_signal = std::numeric_limits<std::uint32_t>::max();
thread_local bool inside_chunk = false;
thread_local ThreadPool* chosen_pool = nullptr;

/// Marks this thread as running chunks, so that nested loops run inline.
class InsideChunk {
 public:
  InsideChunk() { inside_chunk = true; }
  ~InsideChunk() { inside_chunk = false; }
  InsideChunk(const InsideChunk&) = delete;
  InsideChunk& operator=(const InsideChunk&) = delete;
};

void relax() {
#if defined(__aarch64__)
  asm volatile("isb");  // on most cores `yield` does nothing
#elif defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The pool, which the first call makes with this many threads.
ThreadPool& process_pool(int threads) {
  static ThreadPool pool(threads);
  return pool;
}

}  // namespace

int machine_threads() {
  // Asked once: each answer costs the standard library several calls of the system, and
  // thread_pool() is asked for before every operation.
  static const int count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1,
                                      ThreadPool::most_threads);
  return count;
}

ThreadPool::ThreadPool(int threads) { start(threads); }

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::start(int threads) {
  if (threads < 1 || threads > most_threads) {
    fail(Fault::usage, "threads: {} is not possible; choose a number from 1 to {}", threads,
         most_threads);
  }
  owner_process_ = static_cast<int>(getpid());
  remaining_.store(0);
  const WithoutEnding in_workers;
  try {
    for (int i = 1; i < threads; ++i) {
      workers_.emplace_back([this] { work(); });
    }
  } catch (const std::system_error& error) {
    const size_t started = workers_.size() + 1;
    stop();
    fail("threads: cannot start {} ({} started, then: {}); use fewer threads", threads, started,
         error.code().message());
  } catch (...) {
    stop();
    throw;
  }
  threads_.store(threads, std::memory_order_relaxed);
}

void ThreadPool::stop() {
  remaining_.store(stop_signal);
  remaining_.notify_all();
  if (owner_process_ != static_cast<int>(getpid())) {
    // After a fork the child has the pool but not its threads, so it must not join them. Their
    // handles are kept for ever, because destroying one would end the process.
    static auto& lost = *new std::vector<std::thread>;
    std::move(workers_.begin(), workers_.end(), std::back_inserter(lost));
  }
  for (std::thread& worker : workers_) {
    if (worker.joinable()) {
      worker.join();
    }
  }
  workers_.clear();
  threads_.store(1, std::memory_order_relaxed);
}

void ThreadPool::check_outside() {
  require(!inside_chunk,
          "threads: saw a call from inside a parallel loop, needs to be outside; call it before "
          "the loop");
}

void ThreadPool::run_on_every_thread(void (*fn)()) {
  check_outside();
  const std::lock_guard lock(turn_);
  if (workers_.empty() || owner_process_ != static_cast<int>(getpid())) {
    fn();
    return;
  }
  // No thread takes a second chunk before every thread has one.
  std::barrier all(threads());
  const auto once = [&](std::int64_t /*chunk*/) {
    fn();
    all.arrive_and_wait();
  };
  run_shared(static_cast<std::uint32_t>(threads()), call_of(once));
}

void ThreadPool::resize(int threads) {
  check_outside();
  if (threads < 1 || threads > most_threads) {
    fail(Fault::usage, "threads: {} is not possible; choose a number from 1 to {}", threads,
         most_threads);
  }
  const std::lock_guard lock(turn_);
  if (threads != this->threads()) {
    stop();
    start(threads);
  }
}

void ThreadPool::run(std::int64_t chunks, Call call) {
  require(chunks >= 0 && chunks < std::int64_t{stop_signal},
          "parallel_for: saw {} chunks, needs 0 to {}; make the chunks larger", chunks,
          stop_signal - 1);
  if (chunks == 1) {
    call.invoke(call.context, 0);  // a loop of one chunk leaves the pool to the loops inside it
    return;
  }
  if (!inside_chunk && chunks > 1 && threads() > 1) {
    const std::unique_lock lock(turn_, std::try_to_lock);
    if (lock.owns_lock()) {
      run_shared(static_cast<std::uint32_t>(chunks), call);
      return;
    }
  }
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    call.invoke(call.context, chunk);
  }
}

void ThreadPool::run_shared(std::uint32_t chunks, Call call) {
  call_ = call;
  chunks_ = chunks;
  failed_chunk_.store(chunks, std::memory_order_relaxed);
  unfinished_.store(chunks, std::memory_order_relaxed);
  remaining_.store(chunks);
  if (chunks > workers_.size()) {
    remaining_.notify_all();
  } else {
    for (std::uint32_t i = 1; i < chunks; ++i) {
      remaining_.notify_one();
    }
  }
  {
    const InsideChunk inside;
    take_chunks();
  }
  for (int spin = spins(); spin > 0 && unfinished_.load(std::memory_order_acquire) != 0; --spin) {
    relax();
  }
  for (std::uint32_t left = unfinished_.load(); left != 0; left = unfinished_.load()) {
    unfinished_.wait(left);
  }
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void ThreadPool::work() {
  const InsideChunk inside;
  while (true) {
    for (int spin = spins(); spin > 0 && remaining_.load(std::memory_order_relaxed) == 0; --spin) {
      relax();
    }
    remaining_.wait(0);
    if (remaining_.load() == stop_signal) {
      return;
    }
    take_chunks();
  }
}

void ThreadPool::take_chunks() {
  std::uint32_t taken = 0;
  std::uint32_t left = remaining_.load(std::memory_order_relaxed);
  while (left != 0 && left != stop_signal) {
    if (remaining_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
      run_chunk(chunks_ - left);
      ++taken;
      left = remaining_.load(std::memory_order_relaxed);
    }
  }
  if (taken > 0 && unfinished_.fetch_sub(taken) == taken) {
    unfinished_.notify_one();
  }
}

void ThreadPool::run_chunk(std::int64_t chunk) {
  if (chunk > failed_chunk_.load(std::memory_order_relaxed)) {
    return;
  }
  try {
    call_.invoke(call_.context, chunk);
  } catch (...) {
    const std::lock_guard lock(failure_guard_);
    if (chunk < failed_chunk_.load(std::memory_order_relaxed)) {
      failed_chunk_.store(chunk, std::memory_order_relaxed);
      failure_ = std::current_exception();
    }
  }
}

/// How often to look before sleeping, for about 20 microseconds. Where there are more threads than
/// cores the answer is 0, because looking would take the core from a thread that works.
int ThreadPool::spins() const { return threads() > machine_threads() ? 0 : 1000; }

ThreadPool& thread_pool() {
  return chosen_pool != nullptr ? *chosen_pool : process_pool(machine_threads());
}

UsePool::UsePool(ThreadPool& pool) : before_(std::exchange(chosen_pool, &pool)) {}

UsePool::~UsePool() { chosen_pool = before_; }

void set_threads(int threads) { process_pool(threads).resize(threads); }

int threads() { return thread_pool().threads(); }

}  // namespace heed
