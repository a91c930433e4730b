#include "heed/model/decoder.h"

#include <numeric>

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
    for (Tensor* part : cache.by_slot()) {
      *part = reordered(*part, parent);
    }
    cache.lengths = chosen(cache.lengths);
  }
  memory_of = chosen(memory_of);
}

}  // namespace heed
