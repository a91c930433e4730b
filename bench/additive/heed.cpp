// The additive score, e_ij = vᵀ tanh(q_i + k_j), named "what/BxTxSxA":
//
//   scores, gradients   the tiles alone, on one core: what the score itself costs
//   attend, both     the whole operator with softmax and values, forward and with its gradient
//   step             attend with the keys' exponentials prepared: one step of a decoder, or beams
//   memory           what `both` adds to inputs and gradients, in MiB at the peak
//
// compare.py runs the last three beside PyTorch.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>
#include <vector>

#include "heed/attention/fused.h"
#include "heed/backend/all/backends.h"
#include "heed/backend/cpu/attend/additive_tiles.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

struct Sizes {
  int64_t b, t, s, a;
  double elements() const {
    return static_cast<double>(b) * static_cast<double>(t) * static_cast<double>(s) *
           static_cast<double>(a);
  }
};

Place cpu() { return {&find_backend("cpu"), DType::f32}; }

Tensor normal(const Shape& shape, uint64_t place) {
  return Tensor::random(shape, Distribution::normal, {1, 0, place}, cpu());
}

struct Inputs {
  Tensor query, keys, v, prepared;

  Inputs(const Sizes& n, bool is_prepared)
      : query(normal({n.b, 1, 1, n.t, n.a}, 1)),
        keys(normal({n.b, 1, n.s, n.a}, 2)),
        v(normal({1, 1, n.a}, 3)) {
    if (is_prepared) {
      prepared = prepare_kernel_keys(keys, Activation::tanh);
    }
  }
  AttendScore score() const {
    AdditivePairs pairs{v.view(), Activation::tanh, {}};
    if (prepared.defined()) {
      pairs.prepared = prepared.view();
    }
    return {query.view(), keys.view(), pairs};
  }
};

void count(benchmark::State& state, const Sizes& n) {
  state.counters["Gelements/s"] =
      benchmark::Counter(1e-9 * n.elements(), benchmark::Counter::kIsIterationInvariantRate);
}

void each_block(const Sizes& n, int64_t rows, const auto& body) {
  for (int64_t r = 0; r < n.t; r += rows) {
    for (int64_t s = 0; s < n.s; s += 128) {
      body(cpu::Block{r, std::min(rows, n.t - r), s, std::min<int64_t>(128, n.s - s)});
    }
  }
}

void scores(benchmark::State& state, const Sizes& n, bool is_prepared) {
  const Inputs in(n, is_prepared);
  const AttendScore score = in.score();
  std::vector<float> e(128 * 128);
  for (auto _ : state) {
    for (int64_t m = 0; m < n.b; ++m) {
      cpu::AdditiveTiles tiles(score, {m, 0, 0});
      tiles.prepare({0, n.t, 0, n.s});
      each_block(n, 32, [&](const cpu::Block& b) { tiles.scores(b, {e.data(), 128}); });
    }
    benchmark::ClobberMemory();
  }
  count(state, n);
}

void gradients(benchmark::State& state, const Sizes& n, bool is_prepared) {
  const Inputs in(n, is_prepared);
  const AttendScore score = in.score();
  std::vector<float> de(128 * 128, 0.01F);
  const Tensor dquery = Tensor::zeros({n.t, n.a}, cpu());
  const Tensor dkeys = Tensor::zeros({n.s, n.a}, cpu());
  const Tensor dv = Tensor::zeros({n.a}, cpu());
  const cpu::HeadGradients to{
      {dquery.view().as<float>(), n.a}, {dkeys.view().as<float>(), n.a}, dv.view().as<float>()};
  for (auto _ : state) {
    for (int64_t m = 0; m < n.b; ++m) {
      cpu::AdditiveTiles tiles(score, {m, 0, 0});
      tiles.prepare({0, n.t, 0, n.s});
      each_block(n, 128, [&](const cpu::Block& b) { tiles.gradients(b, {de.data(), 128}, to); });
    }
    benchmark::ClobberMemory();
  }
  count(state, n);
}

/// One call of the operator: softmax over all slots, values as wide as the keys.
struct Whole {
  Inputs in;
  Tensor values, context, state, weights, lo, hi, dcontext, dquery, dkeys, dvalues, dv;

  Whole(const Sizes& n, bool is_prepared, bool keeps_weights)
      : in(n, is_prepared),
        values(normal({n.b, 1, n.s, n.a}, 4)),
        context(Tensor::empty({n.b, 1, 1, n.t, n.a}, cpu())),
        state(Tensor::empty({n.b, 1, 1, n.t, 2}, cpu())),
        lo(Tensor::zeros({n.b, 1, 1, n.t}, cpu())),
        hi(Tensor::full({n.b, 1, 1, n.t}, static_cast<double>(n.s), cpu())),
        dcontext(normal(context.shape(), 5)),
        dquery(Tensor::empty(in.query.shape(), cpu())),
        dkeys(Tensor::zeros(in.keys.shape(), cpu())),
        dvalues(Tensor::zeros(values.shape(), cpu())),
        dv(Tensor::zeros(in.v.shape(), cpu())) {
    if (keeps_weights && n.s <= 4 * n.a) {  // as attention/fused.cpp does
      weights = Tensor::empty({n.b, 1, 1, n.t, n.s}, cpu());
    }
  }

  AttendStep step() const {
    AttendStep step;
    step.score = in.score();
    step.where = {lo.view(), hi.view(), hi.view(), {}, {}, 0};
    step.values = values.view();
    step.context = context.view();
    step.state = state.view();
    step.report.weights = weights.defined() ? weights.view() : View();
    return step;
  }
  void forward() const { cpu().backend->run_fused(step()); }
  void backward() const {
    for (const Tensor* sum : {&dkeys, &dvalues, &dv}) {
      cpu().backend->fill(sum->view(), 0);
    }
    cpu().backend->run_fused(AttendGradient{step(),
                                            dcontext.view(),
                                            {},
                                            dquery.view(),
                                            dkeys.view(),
                                            dvalues.view(),
                                            dv.view(),
                                            {},
                                            {}});
  }
};

void attend(benchmark::State& state, const Sizes& n, bool is_prepared) {
  const Whole whole(n, is_prepared, false);
  for (auto _ : state) {
    whole.forward();
    benchmark::ClobberMemory();
  }
  count(state, n);
}

void both(benchmark::State& state, const Sizes& n) {
  const Whole whole(n, false, true);
  for (auto _ : state) {
    whole.forward();
    whole.backward();
    benchmark::ClobberMemory();
  }
  count(state, n);
}

/// A line of /proc/self/status, in MiB.
double process_mib(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) {
      return std::stod(line.substr(field.size() + 1)) / 1024;
    }
  }
  return 0;
}

void memory(benchmark::State& state, const Sizes& n) {
  const Whole whole(n, false, true);
  for (const Tensor* each : {&whole.context, &whole.state, &whole.dquery}) {
    cpu().backend->fill(each->view(), 0);  // so that their pages are there
  }
  double added = 0;
  for (auto _ : state) {
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
    const double before = process_mib("VmRSS");
    whole.forward();
    whole.backward();
    added = process_mib("VmHWM") - before;
  }
  state.counters["added_MiB"] = added;
  count(state, n);
}

void add(const std::string& name, const Sizes& n, const auto& run) {
  const std::string full = name + "/" + std::to_string(n.b) + "x" + std::to_string(n.t) + "x" +
                           std::to_string(n.s) + "x" + std::to_string(n.a);
  benchmark::RegisterBenchmark(full.c_str(), run)
      ->UseRealTime()
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMicrosecond)
      ->MinTime(0.1);
}

const bool registered = [] {
  for (const Sizes n : {Sizes{1, 64, 64, 128},
                        {1, 64, 64, 256},
                        {1, 64, 64, 512},
                        {1, 64, 64, 1024},
                        {1, 256, 256, 512},
                        {1, 64, 64, 100}}) {
    add("scores", n, [n](benchmark::State& state) { scores(state, n, false); });
    add("gradients", n, [n](benchmark::State& state) { gradients(state, n, false); });
  }
  for (const Sizes n : {Sizes{64, 1, 32, 512}, {16, 4, 32, 512}, {8, 8, 32, 512}}) {
    add("step_scores", n, [n](benchmark::State& state) { scores(state, n, true); });
    add("step", n, [n](benchmark::State& state) { attend(state, n, true); });
    add("step_gradients", n, [n](benchmark::State& state) { gradients(state, n, true); });
  }
  for (const Sizes n : {Sizes{64, 64, 64, 512},
                        {16, 128, 128, 512},
                        {4, 256, 256, 512},
                        {16, 64, 64, 256},
                        {8, 64, 64, 1024}}) {
    add("attend", n, [n](benchmark::State& state) { attend(state, n, false); });
    add("both", n, [n](benchmark::State& state) { both(state, n); });
  }
  add("memory", {1, 4096, 4096, 256}, [](benchmark::State& state) {
    memory(state, {1, 4096, 4096, 256});
  });
  return true;
}();

}  // namespace
}  // namespace heed
