// Products as training and serving meet them, named "precision/pattern/MxNxK":
//
//   nt   x[M, K] w[N, K]ᵀ        a layer
//   nn   dy[M, K] w[K, N]        its gradient for x
//   tn   dw[M, N] += dy[K, M]ᵀ x[K, N]   its gradient for w
//   batch  as nt, 256 at a time  heads of attention
//   packed as nt, the weight packed beforehand
//
// compare.py runs these beside PyTorch.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "heed/backend/all/backends.h"
#include "heed/base/thread_pool.h"
#include "heed/device/kernel/packed.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

struct Sizes {
  int64_t m, n, k;
};

Place cpu() { return {&find_backend("cpu"), DType::f32}; }

Tensor normal(const Shape& shape, uint64_t place) {
  return Tensor::random(shape, Distribution::normal, {1, 0, place}, cpu());
}

void count(benchmark::State& state, double products, double bytes) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * products, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] =
      benchmark::Counter(1e-9 * bytes, benchmark::Counter::kIsIterationInvariantRate);
}

double work(Sizes s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

void plain(benchmark::State& state, const std::string& pattern, Sizes s) {
  const bool by_heads = pattern == "batch";
  const int64_t heads = by_heads ? 256 : 1;
  const Tensor a = pattern == "tn" ? normal({heads, s.k, s.m}, 1) : normal({heads, s.m, s.k}, 1);
  const bool is_turned = pattern == "nt" || by_heads;
  const Tensor b = is_turned ? normal({heads, s.n, s.k}, 2) : normal({heads, s.k, s.n}, 2);
  const Tensor out = Tensor::zeros({heads, s.m, s.n}, cpu());
  const View left = pattern == "tn" ? transposed(a.view()) : a.view();
  const View right = is_turned ? transposed(b.view()) : b.view();
  for (auto _ : state) {
    out.backend().matmul(out.view(), left, right, 1, pattern == "tn" ? 1 : 0);
    benchmark::ClobberMemory();
  }
  count(state, static_cast<double>(heads) * work(s), 4.0 * static_cast<double>(b.numel()));
}

void packed(benchmark::State& state, Precision precision, Sizes s) {
  const Tensor weight = normal({s.n, s.k}, 1);
  const Tensor x = normal({s.m, s.k}, 2);
  const Tensor out = Tensor::zeros({s.m, s.n}, cpu());
  size_t bytes = 0;
  out.backend().run_fused(PackStep{weight.view(), precision, {}, &bytes});
  const Tensor form = Tensor::empty({static_cast<int64_t>(bytes)}, cpu().with(DType::u8));
  out.backend().run_fused(PackStep{weight.view(), precision, form.view()});
  for (auto _ : state) {
    out.backend().run_fused(PackedProduct{out.view(), x.view(), form.view()});
    benchmark::ClobberMemory();
  }
  count(state, work(s), static_cast<double>(bytes));
}

/// What the machine's memory gives to readers: the most GEMV can have.
void read_memory(benchmark::State& state) {
  constexpr int64_t pieces = 64;
  constexpr int64_t floats = int64_t{50} << 20;
  const Tensor x = normal({floats}, 1);
  std::vector<float> sums(pieces * 16);
  for (auto _ : state) {
    parallel_for(pieces, [&](int64_t piece) {
      const float* from = x.view().as<float>() + piece * (floats / pieces);
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < floats / pieces; ++i) {
        sum += from[i];
      }
      sums[static_cast<size_t>(piece * 16)] = sum;
    });
    benchmark::DoNotOptimize(sums.data());
  }
  count(state, 0, 4.0 * floats);
}

std::vector<Sizes> layers() {
  std::vector<Sizes> all = {
      {512, 512, 512}, {1024, 1024, 1024}, {2048, 2048, 512}, {2048, 512, 2048}, {2048, 512, 512}};
  for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    for (const int64_t n : {512, 2048, 8000}) {
      all.push_back({m, n, 512});
    }
  }
  all.push_back({1, 100000, 512});
  all.push_back({32, 512, 2048});
  return all;
}

void add(const std::string& name, Sizes s, const auto& run) {
  const std::string full =
      name + "/" + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
  benchmark::RegisterBenchmark(full.c_str(), run)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(0.1);
}

const bool registered = [] {
  for (const Sizes s : layers()) {
    add("f32/nt", s, [s](benchmark::State& state) { plain(state, "nt", s); });
    for (const auto& [name, precision] :
         {std::pair{"f32", Precision::f32}, std::pair{"bf16", Precision::bf16},
          std::pair{"int8", Precision::int8}}) {
      add(std::string(name) + "/packed", s,
          [s, precision = precision](benchmark::State& state) { packed(state, precision, s); });
    }
  }
  for (const Sizes s : {Sizes{512, 512, 512},
                        {1024, 1024, 1024},
                        {2048, 512, 2048},
                        {2048, 2048, 512},
                        {1, 512, 2048},
                        {2, 512, 2048},
                        {4, 512, 2048},
                        {8, 512, 2048},
                        {16, 512, 2048},
                        {24, 512, 2048},
                        {32, 512, 2048},
                        {16, 2048, 512},
                        {24, 512, 512},
                        {64, 512, 2048}}) {
    add("f32/nn", s, [s](benchmark::State& state) { plain(state, "nn", s); });
  }
  for (const Sizes s : {Sizes{512, 512, 512},
                        {1024, 1024, 1024},
                        {2048, 512, 2048},
                        {512, 2048, 2048},
                        {2048, 512, 64},
                        {512, 512, 32}}) {
    add("f32/tn", s, [s](benchmark::State& state) { plain(state, "tn", s); });
  }
  for (const Sizes s :
       {Sizes{16, 16, 64}, {32, 32, 64}, {64, 64, 64}, {64, 64, 32}, {128, 128, 64}}) {
    add("f32/batch", s, [s](benchmark::State& state) { plain(state, "batch", s); });
  }
  benchmark::RegisterBenchmark("read_memory", read_memory)->UseRealTime()->MinTime(0.3);
  return true;
}();

}  // namespace
}  // namespace heed
