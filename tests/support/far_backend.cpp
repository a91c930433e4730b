#include "tests/support/far_backend.h"

#include <sys/mman.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/base/error.h"
#include "heed/base/thread_pool.h"

namespace heed::test {
namespace {

/// Two ranges of addresses: tensors get those of the first, which nobody can touch, and the values lie
/// in the second. Pages are taken when they are written first.
class FarMemory : public RawMemory {
 public:
  FarMemory() : seen_(reserve(PROT_NONE)), real_(reserve(PROT_READ | PROT_WRITE)) {}
  ~FarMemory() override {
    ::munmap(seen_, room);
    ::munmap(real_, room);
  }
  FarMemory(const FarMemory&) = delete;
  FarMemory& operator=(const FarMemory&) = delete;

  size_t alignment() const override { return 256; }
  void* allocate(size_t bytes, Stream /*stream*/) override {
    const std::lock_guard lock(guard_);
    std::vector<size_t>& free = free_[bytes];
    if (free.empty()) {
      free.push_back(std::exchange(end_, end_ + bytes));
      require(end_ <= room, "far: saw {} bytes in use, needs at most {}", end_, room);
    }
    const size_t offset = free.back();
    free.pop_back();
    return seen_ + offset;
  }
  void free(void* pointer, size_t bytes, Stream /*stream*/) override {
    const std::lock_guard lock(guard_);
    free_[bytes].push_back(static_cast<size_t>(static_cast<char*>(pointer) - seen_));
  }
  /// The view as those see it who may touch its memory.
  View real(View view) const {
    if (view.data != nullptr) {
      const auto* data = static_cast<char*>(view.data);
      require(data >= seen_ && data < seen_ + room, "far: saw memory of another backend");
      view.data = real_ + (data - seen_);
    }
    return view;
  }

 private:
  static constexpr size_t room = size_t{1} << 36;
  static char* reserve(int protection) {
    void* at =
        ::mmap(nullptr, room, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(at != MAP_FAILED, "far: there are no addresses left");
    return static_cast<char*>(at);
  }

  char* seen_;
  char* real_;
  std::mutex guard_;
  size_t end_ = 0;
  std::map<size_t, std::vector<size_t>> free_;
};

/// Calls that wait until somebody needs what they compute, and then run on a thread of their own. They
/// are numbered from 1 in their order.
class LateCalls {
 public:
  ~LateCalls() {
    if (thread_.joinable()) {
      {
        const std::lock_guard lock(guard_);
        is_closed_ = true;
      }
      changed_.notify_all();
      thread_.join();
    }
  }

  /// Returns its number.
  uint64_t add(std::function<void()> call) {
    const std::lock_guard lock(guard_);
    waiting_.push_back(std::move(call));
    return ++added_;
  }
  bool are_many() const {
    const std::lock_guard lock(guard_);
    return waiting_.size() >= 4096;
  }
  /// Returns when all that were added have run; what one threw is thrown here.
  void run() {
    std::unique_lock lock(guard_);
    run_until(added_, lock);
    throw_failure();
  }
  /// The same of those up to a number.
  void run(uint64_t last) {
    finish(last);
    const std::lock_guard lock(guard_);
    throw_failure();
  }
  /// The same, but what one threw is thrown later.
  void finish(uint64_t last) {
    std::unique_lock lock(guard_);
    run_until(last, lock);
  }

 private:
  void run_until(uint64_t last, std::unique_lock<std::mutex>& lock) {
    if (!thread_.joinable()) {
      thread_ = std::thread([this] { work(); });
    }
    changed_.wait(lock, [this] { return !is_started_; });  // what another thread waits for
    pool_ = &thread_pool();
    last_ = last;
    is_started_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !is_started_; });
  }
  void throw_failure() {
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }
  void work() {
    std::unique_lock lock(guard_);
    while (true) {
      changed_.wait(lock, [this] { return is_started_ || is_closed_; });
      if (is_closed_) {
        return;
      }
      std::vector<std::function<void()>> calls;
      for (; ran_ < last_; ++ran_) {
        calls.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
      }
      const UsePool use(*pool_);
      lock.unlock();
      std::exception_ptr failure;
      for (const auto& call : calls) {
        try {
          call();
        } catch (...) {
          failure = failure ? failure : std::current_exception();
        }
      }
      calls.clear();
      lock.lock();
      failure_ = failure_ ? failure_ : failure;
      is_started_ = false;
      changed_.notify_all();
    }
  }

  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  uint64_t added_ = 0;
  uint64_t ran_ = 0;
  uint64_t last_ = 0;  // to run
  ThreadPool* pool_ = nullptr;
  bool is_started_ = false;
  bool is_closed_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Comes with the call of this number.
class LateArrival : public Arrival {
 public:
  LateArrival(LateCalls& calls, uint64_t number) : calls_(calls), number_(number) {}
  ~LateArrival() override { calls_.finish(number_); }
  void wait() override { calls_.run(number_); }

 private:
  LateCalls& calls_;
  uint64_t number_;
};

/// Passes each primitive on to a CPU backend of its own.
class FarBackend : public Backend {
 public:
  /// `far` is that memory, or null for one that is near.
  FarBackend(std::unique_ptr<RawMemory> memory, const FarMemory* far)
      : Backend(std::move(memory)), memory_(far) {}

  std::string name() const override { return memory_ != nullptr ? "far" : "near"; }
  bool supports(DType dtype) const override { return inner_->supports(dtype); }
  int64_t steps_ahead() const override { return 1; }
  void synchronise() override { calls_.run(); }

 protected:
  /// The source may be overwritten as soon as this returns.
  void run_upload(const View& to, const void* host) override {
    const auto* bytes = static_cast<const char*>(host);
    std::vector<char> staged(bytes, bytes + static_cast<size_t>(to.numel()) * bytes_of(to.dtype));
    call([this, to = real(to), staged = std::move(staged)] { inner_->upload(to, staged.data()); });
  }
  void run_download(void* host, const View& from) override {
    calls_.run();
    inner_->download(host, real(from));
  }
  std::unique_ptr<Arrival> run_begin_download(void* host, const View& from) override {
    if (memory_ == nullptr) {
      return Backend::run_begin_download(host, from);
    }
    return std::make_unique<LateArrival>(
        calls_, calls_.add([this, host, from = real(from)] { inner_->download(host, from); }));
  }
  void run_copy(const View& to, const View& from) override {
    call([this, to = real(to), from = real(from)] { inner_->copy(to, from); });
  }
  void run_fill(const View& to, double value) override {
    call([this, to = real(to), value] { inner_->fill(to, value); });
  }
  void run_random(const View& to, Distribution distribution, const KernelKey& key) override {
    KernelKey late = key;
    late.step = real(key.step);
    call([this, to = real(to), distribution, late] { inner_->random(to, distribution, late); });
  }
  void run_random_rows(const View& to, Distribution distribution, const RandomKey& key,
                       const View& keys) override {
    call([this, to = real(to), distribution, key, keys = real(keys)] {
      inner_->random_rows(to, distribution, key, keys);
    });
  }
  void run_map(Function f, const View& out, std::span<const View> in, MapScalars scalars) override {
    std::vector<View> operands;
    for (const View& view : in) {
      operands.push_back(real(view));
    }
    call([this, f, out = real(out), operands = std::move(operands), scalars] {
      inner_->map(f, out, operands, scalars);
    });
  }
  void run_reduce(Reduction reduction, const View& out, const View& in, int /*axis*/) override {
    call([this, reduction, out = real(out), in = real(in)] { inner_->reduce(reduction, out, in); });
  }
  void run_running_sum(const View& out, const View& in, SumFrom from) override {
    call([this, out = real(out), in = real(in), from] { inner_->running_sum(out, in, from); });
  }
  void run_topk(const View& values, const View& indices, const View& in) override {
    call([this, values = real(values), indices = real(indices), in = real(in)] {
      inner_->topk(values, indices, in);
    });
  }
  void run_matmul(const View& out, const View& a, const View& b, double alpha,
                  double beta) override {
    call([this, out = real(out), a = real(a), b = real(b), alpha, beta] {
      inner_->matmul(out, a, b, alpha, beta);
    });
  }
  void run_gather(const View& out, const View& table, const View& index) override {
    call([this, out = real(out), table = real(table), index = real(index)] {
      inner_->gather(out, table, index);
    });
  }
  void run_scatter_add(const View& out, const View& source, const View& index) override {
    call([this, out = real(out), source = real(source), index = real(index)] {
      inner_->scatter_add(out, source, index);
    });
  }
  void run_iota(const View& to) override {
    call([this, to = real(to)] { inner_->iota(to); });
  }
  void run_write_slots(const View& to, const View& rows, const View& at) override {
    call([this, to = real(to), rows = real(rows), at = real(at)] {
      inner_->write_slots(to, rows, at);
    });
  }
  void run_reorder_rows(const View& rows, const View& parent) override {
    call([this, rows = real(rows), parent = real(parent)] { inner_->reorder_rows(rows, parent); });
  }

 private:
  View real(const View& view) const { return memory_ != nullptr ? memory_->real(view) : view; }
  template <class Call>
  void call(Call&& one) {
    if (memory_ == nullptr) {
      one();
      return;
    }
    calls_.add(std::forward<Call>(one));
    if (calls_.are_many()) {
      calls_.run();
    }
  }

  const FarMemory* memory_;
  std::unique_ptr<Backend> inner_ = cpu_backend();
  LateCalls calls_;
};

}  // namespace

std::unique_ptr<Backend> far_backend(Distance distance) {
  if (distance == Distance::near) {
    return std::make_unique<FarBackend>(host_memory(), nullptr);
  }
  auto memory = std::make_unique<FarMemory>();
  const FarMemory* far = memory.get();
  return std::make_unique<FarBackend>(std::move(memory), far);
}

}  // namespace heed::test
