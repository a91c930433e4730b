#include "bench/train_step/timed_backend.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>

#include "heed/base/thread_pool.h"

namespace heed::bench {
namespace {

/// On one thread the time of the core, which nobody else slows, else that of the wall.
double now() {
  static const clockid_t clock = threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

enum Primitive { copy_, fill_, random_, map_, reduce_, topk_, matmul_, gather_, scatter_, slots };
constexpr size_t most = 64;

Watched watched[most] = {{"copy"}, {"fill"},   {"random"}, {"map"},        {"reduce"},
                         {"topk"}, {"matmul"}, {"gather"}, {"scatter_add"}};

template <class Body>
void time(size_t which, const Body& body) {
  const double start = now();
  body();
  watched[which].seconds += now() - start;
  ++watched[which].calls;
}

Kernels inner_kernels;
std::vector<Asked> asked;
std::map<const void*, Precision> packed_as;

/// What the replay must know of a call beside its time.
template <class Call>
void remember(const Call& /*call*/) {}
void remember(const PackStep& step) {
  if (step.packed.data != nullptr) {
    packed_as[step.packed.data] = step.precision;
  }
}
void remember(const PackedProduct& product) {
  View w = product.x;  // as its transpose lies before it is packed
  w.shape = {product.x.shape[1], product.out.shape[1]};
  w.strides[0] = 1;
  w.strides[1] = product.x.shape[1];
  asked.push_back({product.out, product.x, w, product.scale, product.adds ? 1.0 : 0.0,
                   packed_as.at(product.packed.data)});
}

/// A slot with a watch: the function a slot of that type gets, numbered after the primitives.
template <class Slot, Slot Kernels::*slot, size_t number>
struct Timed;
template <class... Args, void (*Kernels::*slot)(Args...), size_t number>
struct Timed<void (*)(Args...), slot, number> {
  static void run(Args... args) {
    (remember(args), ...);
    time(slots + number, [&] { (inner_kernels.*slot)(args...); });
  }
};

template <size_t number, auto slot, class Slot>
void watch(Kernels& kernels, Slot Kernels::*, const char* name) {
  if (inner_kernels.*slot != nullptr) {
    kernels.*slot = &Timed<Slot, slot, number>::run;
    watched[slots + number].name = name;
  }
}

}  // namespace

TimedBackend::TimedBackend(Backend& inner) : Backend(host_memory()), inner_(inner) {
  inner_kernels = inner.kernels();
  watch<0, &Kernels::softmax>(timed_, &Kernels::softmax, "softmax");
  watch<1, &Kernels::softmax_gradient>(timed_, &Kernels::softmax_gradient, "softmax_gradient");
  watch<2, &Kernels::lstm>(timed_, &Kernels::lstm, "lstm");
  watch<3, &Kernels::lstm_gradient>(timed_, &Kernels::lstm_gradient, "lstm_gradient");
  watch<4, &Kernels::gru>(timed_, &Kernels::gru, "gru");
  watch<5, &Kernels::gru_gradient>(timed_, &Kernels::gru_gradient, "gru_gradient");
  watch<6, &Kernels::adam>(timed_, &Kernels::adam, "adam");
  watch<7, &Kernels::cross_entropy>(timed_, &Kernels::cross_entropy, "cross_entropy");
  watch<8, &Kernels::cross_entropy_gradient>(timed_, &Kernels::cross_entropy_gradient,
                                             "cross_entropy_gradient");
  watch<9, &Kernels::norm>(timed_, &Kernels::norm, "norm");
  watch<10, &Kernels::norm_gradient>(timed_, &Kernels::norm_gradient, "norm_gradient");
  watch<11, &Kernels::dropout>(timed_, &Kernels::dropout, "dropout");
  watch<12, &Kernels::pack>(timed_, &Kernels::pack, "pack");
  watch<13, &Kernels::multiply_packed>(timed_, &Kernels::multiply_packed, "multiply_packed");
  watch<14, &Kernels::attend>(timed_, &Kernels::attend, "attend");
  watch<15, &Kernels::attend_gradient>(timed_, &Kernels::attend_gradient, "attend_gradient");
}

void TimedBackend::copy(const View& to, const View& from) {
  time(copy_, [&] { inner_.copy(to, from); });
}
void TimedBackend::fill(const View& to, double value) {
  time(fill_, [&] { inner_.fill(to, value); });
}
void TimedBackend::random(const View& to, Distribution distribution, const RandomKey& key) {
  time(random_, [&] { inner_.random(to, distribution, key); });
}
void TimedBackend::map(Function f, const View& out, std::span<const View> in, MapScalars scalars) {
  time(map_, [&] { inner_.map(f, out, in, scalars); });
}
void TimedBackend::reduce(Reduction reduction, const View& out, const View& in) {
  time(reduce_, [&] { inner_.reduce(reduction, out, in); });
}
void TimedBackend::topk(const View& values, const View& indices, const View& in) {
  time(topk_, [&] { inner_.topk(values, indices, in); });
}
void TimedBackend::matmul(const View& out, const View& a, const View& b, double alpha,
                          double beta) {
  asked.push_back({out, a, b, alpha, beta});
  time(matmul_, [&] { inner_.matmul(out, a, b, alpha, beta); });
}
void TimedBackend::gather(const View& out, const View& table, const View& index) {
  time(gather_, [&] { inner_.gather(out, table, index); });
}
void TimedBackend::scatter_add(const View& out, const View& source, const View& index) {
  time(scatter_, [&] { inner_.scatter_add(out, source, index); });
}

void TimedBackend::start_over() {
  for (Watched& one : watched) {
    one.calls = 0;
    one.seconds = 0;
  }
  asked.clear();
}

const std::vector<Asked>& TimedBackend::products() const { return asked; }

std::vector<Watched> TimedBackend::table() const {
  std::vector<Watched> rows;
  std::copy_if(std::begin(watched), std::end(watched), std::back_inserter(rows),
               [](const Watched& one) { return one.calls > 0; });
  std::sort(rows.begin(), rows.end(),
            [](const Watched& a, const Watched& b) { return a.seconds > b.seconds; });
  return rows;
}

}  // namespace heed::bench
