// What one small op costs with its record and its backward: a chain of ops on a few floats, forward
// and backward, divided by the number of ops. One thread: work this small is never shared.
#include <benchmark/benchmark.h>

#include "heed/backend/all/backends.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"

namespace heed {
namespace {

constexpr int64_t chain = 64;

Tensor floats(int64_t count, double value) {
  return Tensor::full({count}, value, {&find_backend("cpu"), DType::f32});
}

/// y = f(f(… f(x))), then its gradient.
template <class F>
void run_chain(benchmark::State& state, const F& f) {
  Tensor x = floats(state.range(0), 0.5);
  x.watch();
  const Tensor seed = floats(state.range(0), 1);
  const AllocatorStatistics before = x.backend().allocator().statistics();
  for (auto _ : state) {
    Tensor y = x;
    for (int64_t i = 0; i < chain; ++i) {
      y = f(y);
    }
    y.backward(seed);
    x.clear_gradient();
  }
  const AllocatorStatistics after = x.backend().allocator().statistics();
  state.counters["system_allocations"] =
      static_cast<double>(after.system_allocations - before.system_allocations);
  state.counters["ns_per_op"] =
      benchmark::Counter(static_cast<double>(state.iterations() * chain) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void add_chain(benchmark::State& state) {
  const Tensor b = floats(state.range(0), 0.001);
  run_chain(state, [&b](const Tensor& x) { return x + b; });
}
void multiply_chain(benchmark::State& state) {
  const Tensor b = floats(state.range(0), 0.999);
  run_chain(state, [&b](const Tensor& x) { return x * b; });
}
void tanh_chain(benchmark::State& state) {
  run_chain(state, [](const Tensor& x) { return tanh(x); });
}
void affine_chain(benchmark::State& state) {
  run_chain(state, [](const Tensor& x) { return affine(x, 0.99, 0.01); });
}

BENCHMARK(add_chain)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(multiply_chain)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(tanh_chain)->Arg(1)->Arg(16)->Arg(64);
BENCHMARK(affine_chain)->Arg(1)->Arg(16)->Arg(64);

}  // namespace
}  // namespace heed
