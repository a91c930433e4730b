#include "tests/support/recording_backend.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

#include "heed/device/kernel/adam.h"
#include "heed/device/kernel/attend.h"
#include "heed/device/kernel/choose_words.h"
#include "heed/device/kernel/convolve.h"
#include "heed/device/kernel/copies.h"
#include "heed/device/kernel/cross_entropy.h"
#include "heed/device/kernel/dropout.h"
#include "heed/device/kernel/moving_average.h"
#include "heed/device/kernel/norm.h"
#include "heed/device/kernel/packed.h"
#include "heed/device/kernel/product.h"
#include "heed/device/kernel/recurrent.h"
#include "heed/device/kernel/slots.h"
#include "heed/device/kernel/softmax.h"
#include "heed/device/kernel/square_sums.h"

namespace heed::test {
namespace {

// What a kernel's call holds, field by field.
auto fields(const SoftmaxRows& c) { return std::tie(c.y, c.x); }
auto fields(const SoftmaxGradient& c) { return std::tie(c.dx, c.dy, c.y); }
auto fields(const LstmStep& c) { return std::tie(c.gates, c.cell_before, c.cell, c.hidden); }
auto fields(const LstmGradient& c) {
  return std::tie(c.gates, c.cell_before, c.dhidden, c.dcell, c.dgates, c.dcell_before);
}
auto fields(const GruStep& c) { return std::tie(c.gates, c.hidden_before, c.hidden); }
auto fields(const GruGradient& c) {
  return std::tie(c.gates, c.hidden_before, c.dhidden, c.dgates, c.dhidden_before);
}
auto fields(const CopyPair& c) { return std::tie(c.to, c.from); }
auto fields(const Copies& c) { return std::tie(c.pairs); }
auto fields(const SlotWrite& c) { return std::tie(c.to, c.rows); }
auto fields(const WriteEachSlots& c) { return std::tie(c.writes, c.at); }
auto fields(const AdamTensors& c) { return std::tie(c.p, c.m, c.v, c.g); }
auto fields(const AdamStep& c) {
  return std::tie(c.tensors, c.numbers, c.beta1, c.beta2, c.epsilon, c.pull);
}
auto fields(const AveragedTensor& c) { return std::tie(c.mean, c.p); }
auto fields(const MovingAverage& c) { return std::tie(c.tensors, c.numbers); }
auto fields(const SquareSums& c) { return std::tie(c.tensors, c.sums); }
auto fields(const CrossEntropy& c) {
  return std::tie(c.losses, c.most, c.total, c.logits, c.targets, c.smoothing, c.exponentials);
}
auto fields(const CrossEntropyGradient& c) {
  return std::tie(c.dlogits, c.dlosses, c.logits, c.most, c.total, c.targets, c.smoothing,
                  c.exponentials);
}
auto fields(const RowNorm& c) {
  return std::tie(c.y, c.mean, c.scale, c.x, c.weight, c.bias, c.epsilon);
}
auto fields(const RowNormGradient& c) {
  return std::tie(c.dx, c.dweight, c.dbias, c.dy, c.x, c.mean, c.scale, c.weight);
}
auto fields(const ResidualNorm& c) { return std::tie(c.x, c.branch, c.rate, c.key, c.norm); }
auto fields(const ResidualNormGradient& c) {
  return std::tie(c.dsum, c.dbranch, c.rate, c.key, c.norm);
}
auto fields(const RecurrentSteps& c) {
  return std::tie(c.is_lstm, c.is_reversed, c.projected, c.packed, c.bias, c.active,
                  c.hidden_before, c.cell_before, c.gates, c.hidden, c.cell, c.outputs);
}
auto fields(const RecurrentStepsGradient& c) {
  return std::tie(c.steps, c.doutputs, c.dhidden, c.dcell, c.dgates, c.dprojected);
}
auto fields(const ChooseWords& c) {
  return std::tie(c.ids, c.log_probability, c.most, c.loss, c.logits, c.forced, c.closed,
                  c.is_as_it_is);
}
auto fields(const DropoutStep& c) { return std::tie(c.y, c.x, c.rate, c.key); }
auto fields(const PackStep& c) { return std::tie(c.weight, c.precision, c.packed); }
auto fields(const PackedProduct& c) {
  return std::tie(c.out, c.x, c.packed, c.scale, c.bias, c.after, c.adds);
}
auto fields(const PackedProducts& c) { return std::tie(c.products); }
auto fields(const PlainProduct& c) { return std::tie(c.out, c.x, c.weight, c.bias, c.after); }
auto fields(const ProductGradient& c) {
  return std::tie(c.dweight, c.dbias, c.dy, c.x, c.precision, c.adds_to_weight, c.adds_to_bias);
}
auto fields(const GridWindow& c) {
  return std::tie(c.height, c.width, c.stride, c.top, c.left, c.dilation);
}
auto fields(const ConvolveStep& c) {
  return std::tie(c.out, c.x, c.packed, c.window, c.bias, c.after);
}
auto fields(const DepthwiseStep& c) {
  return std::tie(c.out, c.x, c.weight, c.window, c.bias, c.after);
}
auto fields(const Streaming& c) { return std::tie(c.kind, c.bias, c.subtract_log_count, c.divide); }
auto fields(const Threshold& c) { return std::tie(c.alpha, c.k); }
auto fields(const DotPairs& c) { return std::tie(c.scale); }
auto fields(const AdditivePairs& c) { return std::tie(c.v, c.activation, c.prepared); }
auto fields(const AttendScore& c) { return std::tie(c.query, c.keys, c.kind); }
auto fields(const AttendWhere& c) {
  return std::tie(c.lo, c.hi, c.count, c.bias, c.centre, c.sigma);
}
auto fields(const AttendDropout& c) { return std::tie(c.rate, c.key); }
auto fields(const AttendReport& c) { return std::tie(c.weights, c.argmax, c.entropy); }
auto fields(const AttendPlan& c) {
  return std::tie(c.dtype, c.grid, c.key_width, c.is_additive, c.has_centre, c.normaliser);
}
auto fields(const PrepareKeys& c) { return std::tie(c.keys, c.activation, c.prepared); }
auto fields(const AttendStep& c) {
  return std::tie(c.score, c.normaliser, c.where, c.dropout, c.precision, c.values, c.context,
                  c.state, c.report);
}
auto fields(const AttendGradient& c) {
  return std::tie(c.step, c.dcontext, c.dweights, c.dquery, c.dkeys, c.dvalues, c.dv, c.dbias,
                  c.dcentre, c.writes_slots);
}
auto fields(const KernelKey& c) { return std::tie(c.key.seed, c.key.step, c.key.stream, c.step); }
auto fields(const RandomKey& c) { return std::tie(c.seed, c.step, c.stream); }
auto fields(const MapScalars& c) { return std::tie(c.a, c.b); }

/// Writes arguments behind one another.
class Writer {
 public:
  explicit Writer(std::vector<const void*>& buffers) : buffers_(buffers) {}

  void operator()(const View& view) {
    if (view.data == nullptr) {
      text += " -";
      return;
    }
    auto at = std::find(buffers_.begin(), buffers_.end(), view.data);
    if (at == buffers_.end()) {
      at = buffers_.insert(buffers_.end(), view.data);
    }
    text +=
        fmt::format(" #{} {}{}", at - buffers_.begin(), name_of(view.dtype), to_string(view.shape));
    if (!view.is_contiguous()) {
      for (int axis = 0; axis < view.rank(); ++axis) {
        text += fmt::format("{}{}", axis == 0 ? "/" : ",", view.strides[axis]);
      }
    }
  }
  void operator()(const Shape& shape) { text += " " + to_string(shape); }
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      text += fmt::format(" {}", static_cast<int>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      text += fmt::format(" {}", value);
    } else {
      std::apply([this](const auto&... one) { ((*this)(one), ...); }, fields(value));
    }
  }
  template <class... Some>
  void operator()(const std::variant<Some...>& value) {
    text += fmt::format(" {}:", value.index());
    std::visit(*this, value);
  }
  template <class T>
  void operator()(const std::span<const T>& values) {
    text += fmt::format(" {}×", values.size());
    for (const T& one : values) {
      (*this)(one);
    }
  }

  std::string text;

 private:
  std::vector<const void*>& buffers_;
};

}  // namespace

std::string first_difference(const Recording& a, const Recording& b) {
  const auto [x, y] = std::mismatch(a.calls.begin(), a.calls.end(), b.calls.begin(), b.calls.end());
  if (x == a.calls.end() && y == b.calls.end()) {
    return {};
  }
  return fmt::format("call {}: `{}` and `{}`", x - a.calls.begin(), x == a.calls.end() ? "" : *x,
                     y == b.calls.end() ? "" : *y);
}

template <class... Arguments>
void RecordingBackend::list(const char* name, const Arguments&... arguments) {
  Writer writer(buffers_);
  writer.text = name;
  (writer(arguments), ...);
  recording_.calls.push_back(std::move(writer.text));
}

/// The kernel that stands in every slot which the inner backend fills.
template <class Call>
bool RecordingBackend::run_recorded(Backend& backend, const Call& call) {
  auto& self = static_cast<RecordingBackend&>(backend);
  self.list(Call::name, call);
  if constexpr (std::is_same_v<std::decay_t<decltype(std::get<0>(fields(call)))>, View>) {
    self.wrote(std::get<0>(fields(call)));
  }
  return self.inner_.run_fused(call);
}

/// Counted when somebody waits for it.
class RecordingBackend::CountedArrival : public Arrival {
 public:
  CountedArrival(RecordingBackend& backend, std::unique_ptr<Arrival> inner)
      : backend_(backend), inner_(std::move(inner)) {}
  void wait() override {
    ++backend_.recording_.downloads;
    if (inner_) {
      backend_.inner_.wait(*inner_);
    }
  }

 private:
  RecordingBackend& backend_;
  std::unique_ptr<Arrival> inner_;
};

RecordingBackend::RecordingBackend(Backend& inner, int64_t steps_ahead,
                                   std::unique_ptr<RawMemory> memory)
    : Backend(std::move(memory)), inner_(inner), steps_ahead_(steps_ahead) {
  inner.kernels().each([this]<class Call>(Kernel<Call> kernel) {
    if (kernel != nullptr) {
      recorded_.set<Call>(run_recorded<Call>);
    }
  });
}

Recording RecordingBackend::take() {
  buffers_.clear();
  return std::exchange(recording_, {});
}

void RecordingBackend::run_upload(const View& to, const void* host) {
  ++recording_.uploads;
  wrote(to);
  list("upload", to);
  inner_.upload(to, host);
}
void RecordingBackend::run_download(void* host, const View& from) {
  ++recording_.downloads;
  list("download", from);
  inner_.download(host, from);
}
std::unique_ptr<Arrival> RecordingBackend::run_begin_download(void* host, const View& from) {
  list("begin_download", from);
  return std::make_unique<CountedArrival>(*this, inner_.begin_download(host, from));
}
void RecordingBackend::run_copy(const View& to, const View& from) {
  ++recording_.copies;
  wrote(to);
  list("copy", to, from);
  inner_.copy(to, from);
}
void RecordingBackend::run_fill(const View& to, double value) {
  wrote(to);
  list("fill", to, value);
  inner_.fill(to, value);
}
void RecordingBackend::run_random(const View& to, Distribution distribution, const KernelKey& key) {
  wrote(to);
  list("random", to, distribution, key);
  inner_.random(to, distribution, key);
}
void RecordingBackend::run_random_rows(const View& to, Distribution distribution,
                                       const RandomKey& key, const View& keys) {
  wrote(to);
  list("random_rows", to, distribution, key, keys);
  inner_.random_rows(to, distribution, key, keys);
}
void RecordingBackend::run_map(Function f, const View& out, std::span<const View> in,
                               MapScalars scalars) {
  wrote(out);
  list("map", f, out, in, scalars);
  inner_.map(f, out, in, scalars);
}
void RecordingBackend::run_reduce(Reduction reduction, const View& out, const View& in,
                                  int /*axis*/) {
  wrote(out);
  list("reduce", reduction, out, in);
  inner_.reduce(reduction, out, in);
}
void RecordingBackend::run_running_sum(const View& out, const View& in, SumFrom from) {
  wrote(out);
  list("running_sum", out, in, from);
  inner_.running_sum(out, in, from);
}
void RecordingBackend::run_topk(const View& values, const View& indices, const View& in) {
  wrote(values);
  list("topk", values, indices, in);
  inner_.topk(values, indices, in);
}
void RecordingBackend::run_matmul(const View& out, const View& a, const View& b, double alpha,
                                  double beta) {
  wrote(out);
  list("matmul", out, a, b, alpha, beta);
  inner_.matmul(out, a, b, alpha, beta);
}
void RecordingBackend::run_gather(const View& out, const View& table, const View& index) {
  wrote(out);
  list("gather", out, table, index);
  inner_.gather(out, table, index);
}
void RecordingBackend::run_scatter_add(const View& out, const View& source, const View& index) {
  wrote(source);
  list("scatter_add", out, source, index);
  inner_.scatter_add(out, source, index);
}
void RecordingBackend::run_iota(const View& to) {
  wrote(to);
  list("iota", to);
  inner_.iota(to);
}
void RecordingBackend::run_write_slots(const View& to, const View& rows, const View& at) {
  wrote(rows);
  list("write_slots", to, rows, at);
  inner_.write_slots(to, rows, at);
}
void RecordingBackend::run_reorder_rows(const View& rows, const View& parent) {
  wrote(rows);
  list("reorder_rows", rows, parent);
  inner_.reorder_rows(rows, parent);
}

}  // namespace heed::test
