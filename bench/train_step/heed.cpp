// Whole training steps.
//
// bench_train_step TASK table: where a step's time goes, per primitive and slot; the step's products
// alone, weights packed where the step had them so; memory and allocations.
// bench_train_step TASK serve: for compare.py; reads how many steps to take from each line, answers
// with their seconds of wall and cores.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include "bench/timed_backend.h"
#include "bench/train_step/task.h"
#include "heed/base/thread_pool.h"
#include "heed/engine/shelf/place.h"

namespace {

std::atomic<long> heap_allocations = 0;

}  // namespace

// What the heap is asked for, by whomever.
void* operator new(size_t bytes) {
  heap_allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* pointer = std::malloc(bytes)) {
    return pointer;
  }
  throw std::bad_alloc();
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, size_t) noexcept { std::free(pointer); }

namespace heed::bench {
namespace {

/// Of the wall, and of the process on its cores: where others want the machine too, the second
/// tells what the work takes.
struct Seconds {
  double wall = 0;
  double cpu = 0;
};

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Body>
Seconds seconds_of(const Body& body) {
  const Seconds start{now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID)};
  body();
  return {now(CLOCK_MONOTONIC) - start.wall, now(CLOCK_PROCESS_CPUTIME_ID) - start.cpu};
}

/// What a table counts: on one thread the time of the core, else that of the wall.
double counted(const Seconds& seconds) { return threads() == 1 ? seconds.cpu : seconds.wall; }

/// Elements between the first and the last of a view, both included.
int64_t reach(const View& view) {
  int64_t last = 0;
  for (int axis = 0; axis < view.rank(); ++axis) {
    last += (view.shape[axis] - 1) * view.strides[axis];
  }
  return last + 1;
}

/// The products of a step, one after the other, each on memory of its own kind.
class Replay {
 public:
  Replay(const std::vector<Asked>& products, const Place& place) : place_(place) {
    for (const Asked& asked : products) {
      products_.push_back({view("out", asked.out), view("a", asked.a), view("b", asked.b),
                           asked.alpha, asked.beta, asked.packed});
      if (asked.packed) {
        products_.back().b = packed(products_.back());
      }
    }
  }
  void run() const {
    for (const Asked& asked : products_) {
      run(asked);
    }
  }
  double flops() const {
    double sum = 0;
    for (const Asked& asked : products_) {
      sum += flops_of(asked);
    }
    return sum;
  }
  /// Each kind of product once more: how often, how long, how fast.
  void print_kinds() const {
    struct Kind {
      int64_t calls = 0;
      double seconds = 0;
      double flops = 0;
    };
    std::map<std::string, Kind> kinds;
    for (const Asked& asked : products_) {
      Kind& kind = kinds[name_of(asked)];
      kind.seconds += counted(seconds_of([&] { run(asked); }));
      kind.flops += flops_of(asked);
      ++kind.calls;
    }
    for (const auto& [name, kind] : kinds) {
      std::printf("    %-44s %5ld calls %9.2f ms %7.1f GFLOP/s\n", name.c_str(),
                  static_cast<long>(kind.calls), 1e3 * kind.seconds,
                  kind.flops / kind.seconds / 1e9);
    }
  }

 private:
  void run(const Asked& asked) const {
    if (asked.packed) {
      place_.backend->run_fused(PackedProduct{.out = asked.out,
                                              .x = asked.a,
                                              .packed = asked.b,
                                              .scale = asked.alpha,
                                              .adds = asked.beta != 0});
    } else {
      place_.backend->matmul(asked.out, asked.a, asked.b, asked.alpha, asked.beta);
    }
  }
  static double flops_of(const Asked& asked) {
    return 2.0 * static_cast<double>(asked.out.numel()) * static_cast<double>(asked.a.shape[-1]);
  }
  static std::string name_of(const Asked& asked) {
    const char* added = asked.beta == 0 ? "" : " added";
    if (asked.packed) {
      return fmt::format("{}{} [{}, {}] packed{}", asked.a.shape, turned(asked.a),
                         asked.a.shape[-1], asked.out.shape[-1], added);
    }
    return fmt::format("{}{} {}{}{}", asked.a.shape, turned(asked.a), asked.b.shape,
                       turned(asked.b), added);
  }
  static const char* turned(const View& matrix) {
    return matrix.stride(-1) == 1 || matrix.shape[-1] == 1 ? "" : "t";
  }
  static std::string key_of(const std::string& role, const View& like) {
    std::string key = fmt::format("{} {}", role, like.shape);
    for (int axis = 0; axis < like.rank(); ++axis) {
      key += fmt::format(" {}", like.strides[axis]);
    }
    return key;
  }
  View view(const char* role, const View& like) {
    Tensor& memory = memory_[key_of(role, like)];
    if (!memory.defined()) {
      memory = Tensor::full({reach(like)}, 0.01, place_);
    }
    View seen = like;
    seen.data = memory.view().data;
    return seen;
  }
  View packed(const Asked& asked) {
    const auto precision = *asked.packed;
    Tensor& form = memory_[key_of(fmt::format("packed {}", static_cast<int>(precision)), asked.b)];
    if (!form.defined()) {
      size_t bytes = 0;
      place_.backend->run_fused(PackStep{transposed(asked.b), precision, {}, &bytes});
      form = Tensor::empty({static_cast<int64_t>(bytes)}, place_.with(DType::u8));
      place_.backend->run_fused(PackStep{transposed(asked.b), precision, form.view()});
    }
    return form.view();
  }

  Place place_;
  std::map<std::string, Tensor> memory_;
  std::vector<Asked> products_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_table(const std::string& name, int64_t rounds) {
  const Place plain = place_on("cpu");
  TimedBackend timed(*plain.backend);
  const Place place{&timed, DType::f32};
  const Task task = make_task(name, place);
  for (int64_t step = 0; step < (rounds < 3 ? 1 : 3); ++step) {
    task.step(step);
  }
  const long heap_before = heap_allocations.load();
  const int64_t system_before = timed.allocator().statistics().system_allocations;
  timed.allocator().reset_peak();
  std::vector<double> steps;
  for (int64_t round = 0; round < rounds; ++round) {
    timed.start_over();
    steps.push_back(counted(seconds_of([&] { task.step(3 + round); })));
  }
  const long heap = heap_allocations.load() - heap_before;
  const AllocatorStatistics statistics = timed.allocator().statistics();
  const double last = steps.back();
  std::printf("%s: %d threads, step %.1f ms (median of %zu, least %.1f), %.0f tokens/s\n",
              name.c_str(), threads(), 1e3 * median(steps), steps.size(),
              1e3 * *std::min_element(steps.begin(), steps.end()),
              static_cast<double>(task.tokens) / median(steps));
  double inside = 0;
  for (const Watched& one : timed.table()) {
    inside += one.seconds;
    std::printf("  %-20s %6ld calls %10.2f ms %5.1f %% %10.0f ns a call\n", one.name.c_str(),
                static_cast<long>(one.calls), 1e3 * one.seconds, 100 * one.seconds / last,
                1e9 * one.seconds / static_cast<double>(one.calls));
  }
  std::printf("  %-20s %12s %10.2f ms %5.1f %%\n", "outside the backend", "", 1e3 * (last - inside),
              100 * (last - inside) / last);
  const Replay replay(timed.products(), plain);
  std::vector<double> alone;
  for (int64_t round = 0; round < rounds; ++round) {
    alone.push_back(counted(seconds_of([&] { replay.run(); })));
  }
  std::printf("  products alone: %.1f ms, %.1f GFLOP/s; the step takes %.3f times that\n",
              1e3 * median(alone), replay.flops() / median(alone) / 1e9,
              median(steps) / median(alone));
  replay.print_kinds();
  std::printf(
      "  memory: %.1f MiB at the peak of a step, %ld system allocations and %.1f heap allocations "
      "a step\n",
      static_cast<double>(statistics.peak_bytes) / (1 << 20),
      static_cast<long>(statistics.system_allocations - system_before),
      static_cast<double>(heap) / static_cast<double>(rounds));
}

void serve(const std::string& name) {
  const Task task = make_task(name, place_on("cpu"));
  int64_t taken = 0;
  int64_t count = 0;
  std::cout << "ready " << task.tokens << std::endl;
  while (std::cin >> count) {
    for (int64_t i = 0; i < count; ++i) {
      const Seconds seconds = seconds_of([&] { task.step(taken++); });
      std::cout << seconds.wall << " " << seconds.cpu << " ";
    }
    std::cout << std::endl;
  }
}

}  // namespace
}  // namespace heed::bench

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: bench_train_step TASK table [ROUNDS] | TASK serve\n");
    return 2;
  }
  try {
    if (std::string(arguments[2]) == "serve") {
      heed::bench::serve(arguments[1]);
    } else {
      heed::bench::print_table(arguments[1], count > 3 ? std::atol(arguments[3]) : 7);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
