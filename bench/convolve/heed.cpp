// The two MobileNets of $HEED_DATA/imagenet_cnn, from pixels to logits, named "network/NET/SIZE/BATCH",
// and their matrix products alone, named "products/NET/SIZE/BATCH": every convolution that is not
// depthwise as one packed product of its rows, with bias and activation.
//
// compare.py runs these beside PyTorch.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/backend/all/backends.h"
#include "heed/device/kernel/packed.h"
#include "heed/model/grid/network.h"
#include "heed/nn/precision.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

struct Question {
  std::string net;
  int64_t size;
  int64_t batch;
};

Place cpu() { return {&find_backend("cpu"), DType::f32}; }

std::string path_of(const std::string& net) {
  const char* folder = std::getenv("HEED_DATA");
  return std::string(folder == nullptr ? "" : folder) + "/imagenet_cnn/mobilenet_" + net +
         "_1.0_224.safetensors";
}

Tensor normal(const Shape& shape, uint64_t number) {
  return Tensor::random(shape, Distribution::normal, {1, 0, number}, cpu());
}

/// Cells of a layer's grid along an axis of n pixels.
int64_t cells(const NetworkLayer& layer, int64_t n) {
  return layer.is_grid() ? (n + layer.scale - 1) / layer.scale : 1;
}

/// The rows of a layer's product.
int64_t rows_of(const NetworkLayer& layer, const Question& q) {
  return q.batch * cells(layer, q.size) * cells(layer, q.size);
}

double multiply_adds(const LayerList& list, const Question& q) {
  double sum = 0;
  for (const NetworkLayer& layer : list.layers()) {
    const bool is_depthwise = layer.op == NetworkLayer::Op::depthwise;
    const int64_t each = layer.kernel * layer.kernel * (is_depthwise ? 1 : layer.in) * layer.out;
    sum += layer.has_weight() ? static_cast<double>(rows_of(layer, q) * each) : 0.0;
  }
  return sum;
}

void count(benchmark::State& state, double sum) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * sum, benchmark::Counter::kIsIterationInvariantRate);
}

void whole_network(benchmark::State& state, const Question& q) {
  const NoGrad no_grad;
  const std::string path = path_of(q.net);
  const LayerList list = read_layer_list(path);
  Init init = Init::blank(cpu());
  Network network;
  network.build(list, true, init);
  network.load(read_network(path, list), path);
  serve(network, Precision::f32);
  const Tensor x = normal({q.batch, q.size, q.size, 3}, 1);
  for (auto _ : state) {
    const Tensor y = network(x, Pass::serving());
    benchmark::DoNotOptimize(y.view().data);
  }
  count(state, multiply_adds(list, q));
}

struct LayerProduct {
  Tensor x;
  Tensor packed;
  Tensor bias;
  Tensor out;
  AfterProduct after;
};

void products_alone(benchmark::State& state, const Question& q) {
  std::vector<LayerProduct> all;
  double sum = 0;
  const LayerList list = read_layer_list(path_of(q.net));
  for (const NetworkLayer& layer : list.layers()) {
    if (!layer.has_weight() || layer.op == NetworkLayer::Op::depthwise) {
      continue;
    }
    const int64_t m = rows_of(layer, q);
    const int64_t k = layer.kernel * layer.kernel * layer.in;
    const Tensor weight = normal({layer.out, k}, 2);
    size_t bytes = 0;
    cpu().backend->run_fused(PackStep{weight.view(), Precision::f32, {}, &bytes});
    all.push_back({normal({m, k}, 3),
                   Tensor::empty({static_cast<int64_t>(bytes)}, cpu().with(DType::u8)),
                   normal({layer.out}, 4), Tensor::empty({m, layer.out}, cpu()), layer.after});
    cpu().backend->run_fused(PackStep{weight.view(), Precision::f32, all.back().packed.view()});
    sum += static_cast<double>(m * k * layer.out);
  }
  for (auto _ : state) {
    for (const LayerProduct& one : all) {
      cpu().backend->run_fused(PackedProduct{.out = one.out.view(),
                                             .x = one.x.view(),
                                             .packed = one.packed.view(),
                                             .bias = one.bias.view(),
                                             .after = one.after});
    }
    benchmark::ClobberMemory();
  }
  count(state, sum);
}

void add(const std::string& kind, const Question& q,
         void (*run)(benchmark::State&, const Question&)) {
  const std::string name =
      kind + "/" + q.net + "/" + std::to_string(q.size) + "/" + std::to_string(q.batch);
  benchmark::RegisterBenchmark(name.c_str(), [q, run](benchmark::State& state) { run(state, q); })
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.5);
}

const bool registered = [] {
  for (const char* net : {"v1", "edgetpu"}) {
    for (const int64_t size : {160, 224}) {
      for (const int64_t batch : {1, 32}) {
        if (std::filesystem::exists(path_of(net))) {
          add("network", {net, size, batch}, whole_network);
          add("products", {net, size, batch}, products_alone);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace heed
