#include "bench/timed_backend.h"

#include <algorithm>
#include <ctime>

#include "heed/base/thread_pool.h"
#include "heed/device/kernel/adam.h"
#include "heed/device/kernel/attend.h"
#include "heed/device/kernel/choose_words.h"
#include "heed/device/kernel/convolve.h"
#include "heed/device/kernel/cross_entropy.h"
#include "heed/device/kernel/dropout.h"
#include "heed/device/kernel/moving_average.h"
#include "heed/device/kernel/norm.h"
#include "heed/device/kernel/product.h"
#include "heed/device/kernel/recurrent.h"
#include "heed/device/kernel/softmax.h"
#include "heed/device/kernel/square_sums.h"

namespace heed::bench {
namespace {

/// On one thread the time of the core, which nobody else slows, else that of the wall.
double now() {
  static const clockid_t clock = threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

/// The kernel that stands in every slot of the timed backend which the inner one fills.
template <class Call>
bool TimedBackend::run_timed(Backend& backend, const Call& call) {
  auto& self = static_cast<TimedBackend&>(backend);
  self.remember(call);
  bool is_done = false;
  self.time(Call::name, [&] { is_done = self.inner_.run_fused(call); });
  return is_done;
}

TimedBackend::TimedBackend(Backend& inner) : Backend(host_memory()), inner_(inner) {
  inner.kernels().each([this]<class Call>(Kernel<Call> kernel) {
    if (kernel != nullptr) {
      timed_.set<Call>(run_timed<Call>);
    }
  });
}

template <class Body>
void TimedBackend::time(const char* name, const Body& body) {
  const double start = now();
  body();
  Watched& one = watched_[name];
  one.seconds += now() - start;
  ++one.calls;
}

void TimedBackend::remember(const PackStep& step) {
  if (step.packed.data != nullptr) {
    packed_as_[step.packed.data] = step.precision;
  }
}

void TimedBackend::remember(const PackedProduct& product) {
  View w = product.x;  // as its transpose lies before it is packed
  w.shape = {product.x.shape[1], product.out.shape[1]};
  w.strides[0] = 1;
  w.strides[1] = product.x.shape[1];
  products_.push_back({product.out, product.x, w, product.scale, product.adds ? 1.0 : 0.0,
                       packed_as_.at(product.packed.data)});
}

void TimedBackend::remember(const PackedProducts& call) {
  for (const PackedProduct& product : call.products) {
    remember(product);
  }
}

void TimedBackend::run_copy(const View& to, const View& from) {
  time("copy", [&] { inner_.copy(to, from); });
}
void TimedBackend::run_fill(const View& to, double value) {
  time("fill", [&] { inner_.fill(to, value); });
}
void TimedBackend::run_random(const View& to, Distribution distribution, const KernelKey& key) {
  time("random", [&] { inner_.random(to, distribution, key); });
}
void TimedBackend::run_map(Function f, const View& out, std::span<const View> in,
                           MapScalars scalars) {
  time("map", [&] { inner_.map(f, out, in, scalars); });
}
void TimedBackend::run_reduce(Reduction reduction, const View& out, const View& in, int /*axis*/) {
  time("reduce", [&] { inner_.reduce(reduction, out, in); });
}
void TimedBackend::run_topk(const View& values, const View& indices, const View& in) {
  time("topk", [&] { inner_.topk(values, indices, in); });
}
void TimedBackend::run_matmul(const View& out, const View& a, const View& b, double alpha,
                              double beta) {
  products_.push_back({out, a, b, alpha, beta});
  time("matmul", [&] { inner_.matmul(out, a, b, alpha, beta); });
}
void TimedBackend::run_gather(const View& out, const View& table, const View& index) {
  time("gather", [&] { inner_.gather(out, table, index); });
}
void TimedBackend::run_scatter_add(const View& out, const View& source, const View& index) {
  time("scatter_add", [&] { inner_.scatter_add(out, source, index); });
}

void TimedBackend::start_over() {
  watched_.clear();
  products_.clear();
}

std::vector<Watched> TimedBackend::table() const {
  std::vector<Watched> rows;
  for (const auto& [name, one] : watched_) {
    rows.push_back({name, one.calls, one.seconds});
  }
  std::sort(rows.begin(), rows.end(),
            [](const Watched& a, const Watched& b) { return a.seconds > b.seconds; });
  return rows;
}

}  // namespace heed::bench
