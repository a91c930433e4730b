// Elementwise functions and row kernels: what bench/vector/run.py measures beside PyTorch. A case's
// time is that of one call, forward alone or forward with backward, as its name says.
#include <benchmark/benchmark.h>

#include <array>

#include "heed/backend/all/backends.h"
#include "heed/device/backend.h"
#include "heed/device/kernel/adam.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/dropout.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/reduce.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

constexpr int64_t million = 1 << 20;

Place cpu() {
  static Backend& backend = find_backend("cpu");
  return {&backend, DType::f32};
}

Tensor normal(const Shape& shape, uint64_t place) {
  return Tensor::random(shape, Distribution::normal, {1, 0, place}, cpu());
}

/// One elementwise function on a million floats, 4 MB in and 4 MB out.
void unary(benchmark::State& state, Function f) {
  const Tensor x = normal({million}, 1);
  const Tensor y = Tensor::empty({million}, cpu());
  const std::array<View, 1> in = {x.view()};
  for (auto _ : state) {
    cpu().backend->map(f, y.view(), in, {.a = 1});
  }
}

/// forward, then backward with a given gradient of the result.
template <class Forward>
void both(benchmark::State& state, std::initializer_list<Tensor*> leaves, const Tensor& seed,
          const Forward& forward) {
  for (Tensor* leaf : leaves) {
    leaf->watch();
  }
  for (auto _ : state) {
    for (Tensor* leaf : leaves) {
      leaf->clear_gradient();
    }
    forward().backward(seed);
  }
}

void layer_norm_both(benchmark::State& state) {
  Tensor x = normal({2048, 512}, 1);
  Tensor weight = normal({512}, 2);
  Tensor bias = normal({512}, 3);
  both(state, {&x, &weight, &bias}, normal({2048, 512}, 4),
       [&] { return layer_norm(x, weight, bias); });
}

void rms_norm_both(benchmark::State& state) {
  Tensor x = normal({2048, 512}, 1);
  Tensor weight = normal({512}, 2);
  both(state, {&x, &weight}, normal({2048, 512}, 4), [&] { return rms_norm(x, weight); });
}

void softmax_both(benchmark::State& state) {
  Tensor x = normal({512, 64, 64}, 1);
  both(state, {&x}, normal({512, 64, 64}, 2), [&] { return softmax(x); });
}

void cross_entropy_both(benchmark::State& state) {
  Tensor x = normal({1024, 8000}, 1);
  const Tensor targets = Tensor::full({1024}, 17, cpu().with(DType::i32));
  both(state, {&x}, {}, [&] { return mean(cross_entropy(x, targets, {.smoothing = 0.1})); });
}

void dropout_both(benchmark::State& state) {
  Tensor x = normal({2048, 512}, 1);
  both(state, {&x}, normal({2048, 512}, 2), [&] { return dropout(x, 0.1, RandomKey{.seed = 3}); });
}

void adam(benchmark::State& state) {
  const Tensor p = normal({million}, 1);
  const Tensor m = normal({million}, 2);
  const Tensor v = Tensor::full({million}, 1, cpu());
  const Tensor g = normal({million}, 3);
  const Tensor numbers = Tensor::of(std::vector<double>{1, 1e-6, 1, 1}, {4}, cpu());
  const AdamTensors all[] = {{p.view(), m.view(), v.view(), g.view()}};
  for (auto _ : state) {
    cpu().backend->run_fused(AdamStep{.tensors = all, .numbers = numbers.view()});
  }
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const char* name, const auto& body) {
    benchmark::RegisterBenchmark(name, body)->UseRealTime()->Unit(benchmark::kMicrosecond);
  };
  add("copy", [](benchmark::State& state) { unary(state, function<fn::Affine>); });
  add("exp", [](benchmark::State& state) { unary(state, function<fn::Exp>); });
  add("tanh", [](benchmark::State& state) { unary(state, function<fn::Tanh>); });
  add("sigmoid", [](benchmark::State& state) { unary(state, function<fn::Sigmoid>); });
  add("gelu", [](benchmark::State& state) { unary(state, function<fn::Gelu>); });
  add("silu", [](benchmark::State& state) { unary(state, function<fn::Silu>); });
  add("log", [](benchmark::State& state) { unary(state, function<fn::Log>); });
  add("layer_norm_both", layer_norm_both);
  add("rms_norm_both", rms_norm_both);
  add("softmax_both", softmax_both);
  add("cross_entropy_both", cross_entropy_both);
  add("dropout_both", dropout_both);
  add("adam", adam);
  return true;
}();

}  // namespace
}  // namespace heed
