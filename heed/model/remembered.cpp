#include "heed/model/remembered.h"

#include <algorithm>

#include "heed/ops/slice.h"

namespace heed {
namespace {

/// Copies source `from` of x [B, …] to source `to` of y; slots of y [B, G, S, …] that x lacks become
/// 0, because they are multiplied by weights of 0 and may hold what is not finite.
void write_source(const Tensor& y, int32_t to, const Tensor& x, int32_t from) {
  const View target = slice(y, 0, to, 1).view();
  const View source = slice(x, 0, from, 1).view();
  if (x.rank() < 3 || y.size(2) == x.size(2)) {
    y.backend().copy(target, source);
    return;
  }
  const int64_t slots = std::min(x.size(2), y.size(2));
  y.backend().copy(sliced(target, 2, 0, slots), sliced(source, 2, 0, slots));
  if (slots < y.size(2)) {
    y.backend().fill(sliced(target, 2, slots, y.size(2) - slots), 0);
  }
}

/// Calls `change` for each pair of the tensors of two memories; keys that are the values only once.
template <class Change>
void each_pair(Memory& a, const Memory& b, const Change& change) {
  const bool is_shared = b.keys.view().data == b.values.view().data;
  change(a.values, b.values);
  if (is_shared) {
    a.keys = a.values;
  } else {
    change(a.keys, b.keys);
  }
  if (b.kernel_keys.defined()) {
    change(a.kernel_keys, b.kernel_keys);
  }
}

}  // namespace

int64_t slots_of(const Remembered& memory) {
  return memory.layers.empty() ? 0 : memory.layers.front().capacity();
}

Remembered with_room(const Remembered& a, std::span<const int32_t> kept, int64_t sources,
                     int64_t slots) {
  require(static_cast<int64_t>(kept.size()) <= sources,
          "remembered: saw room for {} sources, needs it for {}", sources, kept.size());
  Remembered out;
  out.lengths.resize(static_cast<size_t>(sources), 0);
  const auto moved = [&](Tensor& to, const Tensor& from) {
    Shape shape = from.shape().with(0, sources);
    to = Tensor::zeros(from.rank() < 3 ? shape : shape.with(2, slots), from.place());
    for (size_t i = 0; i < kept.size(); ++i) {
      write_source(to, static_cast<int32_t>(i), from, kept[i]);
    }
  };
  for (size_t i = 0; i < kept.size(); ++i) {
    out.lengths[i] = a.lengths.at(static_cast<size_t>(kept[i]));
  }
  if (a.summary.defined()) {
    moved(out.summary, a.summary);
  }
  for (const Memory& layer : a.layers) {
    each_pair(out.layers.emplace_back(), layer, moved);
  }
  return out;
}

void write_sources(Remembered& a, const Remembered& b, std::span<const int32_t> at) {
  const auto write = [&](const Tensor& to, const Tensor& from) {
    for (size_t i = 0; i < at.size(); ++i) {
      write_source(to, at[i], from, static_cast<int32_t>(i));
    }
  };
  for (size_t i = 0; i < at.size(); ++i) {
    a.lengths.at(static_cast<size_t>(at[i])) = b.lengths.at(i);
  }
  if (a.summary.defined()) {
    write(a.summary, b.summary);
  }
  for (size_t n = 0; n < a.layers.size(); ++n) {
    each_pair(a.layers[n], b.layers[n], write);
  }
}

}  // namespace heed
