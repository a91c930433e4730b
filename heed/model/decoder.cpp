#include "heed/model/decoder.h"

#include <algorithm>

#include "heed/tensor/tape.h"

namespace heed {
namespace {

bool keeps_every_row(std::span<const int32_t> parent, int64_t rows) {
  for (size_t q = 0; q < parent.size(); ++q) {
    if (parent[q] != static_cast<int32_t>(q)) {
      return false;
    }
  }
  return static_cast<int64_t>(parent.size()) == rows;
}

/// x [Q, …] → row q is x's row parent[q].
Tensor reordered(const Tensor& x, std::span<const int32_t> parent) {
  if (!x.defined() || keeps_every_row(parent, x.size(0))) {
    return x;
  }
  const auto rows = static_cast<int64_t>(parent.size());
  Tensor out = Tensor::empty(x.shape().with(0, rows), x.place());
  for (int64_t q = 0; q < rows;) {
    // Neighbours that stay neighbours move together.
    int64_t run = 1;
    while (q + run < rows && parent[q + run] == parent[q] + run) {
      ++run;
    }
    x.backend().copy(sliced(out.view(), 0, q, run), sliced(x.view(), 0, parent[q], run));
    q += run;
  }
  return out;
}

/// One row of a cache [Q, G, S, d], its first `used` slots.
View row_of(const Tensor& cache, int64_t row, int64_t used) {
  return sliced(sliced(cache.view(), 0, row, 1), 2, 0, used);
}

/// The order to overwrite rows in, so that each is read before it is overwritten: leaves of the
/// readers' trees first. What stays out of it are cycles.
std::vector<int32_t> safe_order(std::span<const int32_t> parent) {
  std::vector<int32_t> readers(parent.size(), 0);
  for (size_t q = 0; q < parent.size(); ++q) {
    readers[parent[q]] += parent[q] != static_cast<int32_t>(q) ? 1 : 0;
  }
  std::vector<int32_t> order;
  for (size_t q = 0; q < parent.size(); ++q) {
    auto row = static_cast<int32_t>(q);
    // A row that nobody reads any more goes, then perhaps the one it read, if that has passed by.
    while (readers[row] == 0 && parent[row] != row) {
      order.push_back(row);
      const int32_t from = parent[row];
      readers[row] = -1;
      if (--readers[from] > 0 || from > static_cast<int32_t>(q)) {
        break;
      }
      row = from;
    }
  }
  return order;
}

/// The cache's row q becomes its row parent[q], in place; rows that stay are not touched.
void reorder_within(const Tensor& cache, std::span<const int32_t> parent, int64_t used) {
  Backend& backend = cache.backend();
  std::vector<bool> is_done(parent.size(), false);
  for (const int32_t row : safe_order(parent)) {
    backend.copy(row_of(cache, row, used), row_of(cache, parent[row], used));
    is_done[row] = true;
  }
  for (size_t q = 0; q < parent.size(); ++q) {
    if (is_done[q] || parent[q] == static_cast<int32_t>(q)) {
      continue;
    }
    const auto first = static_cast<int32_t>(q);
    const Tensor kept =
        Tensor::empty(cache.shape().with(0, 1).with(2, used), cache.place());  // opens the cycle
    backend.copy(kept.view(), row_of(cache, first, used));
    for (int32_t row = first; !is_done[row]; row = parent[row]) {
      const bool closes = parent[row] == first;
      backend.copy(row_of(cache, row, used),
                   closes ? kept.view() : row_of(cache, parent[row], used));
      is_done[row] = true;
    }
  }
}

void reorder_cache(Memory& cache, std::span<const int32_t> parent) {
  if (!cache.defined()) {
    return;
  }
  if (cache.values.size(0) != static_cast<int64_t>(parent.size())) {
    for (Tensor* part : cache.by_slot()) {
      *part = reordered(*part, parent);
    }
    return;
  }
  const int64_t used = *std::max_element(cache.lengths.begin(), cache.lengths.end());
  std::vector<const void*> moved;  // keys may be the values themselves
  for (const Tensor* part : cache.by_slot()) {
    const void* data = part->defined() ? part->view().data : nullptr;
    if (data != nullptr && std::find(moved.begin(), moved.end(), data) == moved.end()) {
      reorder_within(*part, parent, used);
      moved.push_back(data);
    }
  }
}

}  // namespace

void State::reorder(std::span<const int32_t> parent) {
  const NoGrad no_grad;
  for (const int32_t row : parent) {
    require(row >= 0 && row < hypotheses(), "state: saw parent {} of {} hypotheses", row,
            hypotheses());
  }
  if (keeps_every_row(parent, hypotheses())) {
    return;
  }
  for (Tensor& tensor : carried) {
    tensor = reordered(tensor, parent);
  }
  const auto chosen = [&parent](const std::vector<int32_t>& from) {
    std::vector<int32_t> to;
    for (const int32_t row : parent) {
      to.push_back(from[row]);
    }
    return to;
  };
  for (Memory& cache : caches) {
    reorder_cache(cache, parent);
    cache.lengths = chosen(cache.lengths);
  }
  memory_of = chosen(memory_of);
}

}  // namespace heed
