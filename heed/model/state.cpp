#include "heed/model/state.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/ops/arithmetic.h"
#include "heed/ops/concat.h"
#include "heed/ops/gather.h"
#include "heed/ops/pad.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Row q of the result is row parent[q] of x [Q, …].
Tensor chosen_rows(const Tensor& x, const Tensor& parent) {
  const int64_t width = x.numel() / std::max<int64_t>(x.size(0), 1);
  const Tensor rows = gather_rows(reshape(x, {x.size(0), width}), parent);
  return reshape(rows, x.shape().with(0, parent.size(0)));
}

Tensor index_of(std::span<const int32_t> numbers, const Place& place) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place.with(DType::i32));
}

/// The rows of a [Q, …] and then of b; an undefined one counts as zeros. Past weights of b may have
/// more slots.
Tensor one_behind_the_other(Tensor a, Tensor b, int64_t rows_a, int64_t rows_b) {
  if (!a.defined() && !b.defined()) {
    return a;
  }
  if (!a.defined()) {
    a = Tensor::zeros(b.shape().with(0, rows_a), b.place());
  }
  if (!b.defined()) {
    b = Tensor::zeros(a.shape().with(0, rows_b), a.place());
  }
  const int last = a.rank() - 1;
  const int64_t width = std::max(a.size(last), b.size(last));
  return concat({pad(a, last, 0, width - a.size(last)), pad(b, last, 0, width - b.size(last))}, 0);
}

}  // namespace

State::State(std::shared_ptr<const Remembered> memory, std::span<const int32_t> memory_of,
             const Place& place)
    : memory_(std::move(memory)), place_(place) {
  position_ = Tensor::zeros({static_cast<int64_t>(memory_of.size())}, place.with(DType::i32));
  fed_.resize(memory_of.size(), 0);
  look_across(memory_of);
}

void State::look_across(std::span<const int32_t> memory_of) {
  const std::vector<int32_t> ones(memory_of.size(), 1);
  Tensor index = index_of(memory_of, place_);
  Geometry across({.queries = Layout::packed(ones, place_),
                   .memory_lengths = memory_->lengths,
                   .memory_of = memory_of,
                   .place = place_});
  memory_of_ = std::move(index);
  across_ = std::move(across);
}

const Tensor& State::counted() const {
  if (further_ > 0) {
    position_ = affine(position_, 1, static_cast<double>(further_));
    further_ = 0;
  }
  return position_;
}

void State::advance() {
  ++further_;
  for (int32_t& fed : fed_) {
    ++fed;
  }
}

/// The largest position.
int64_t State::words() const {
  return fed_.empty() ? 0 : *std::max_element(fed_.begin(), fed_.end());
}

void State::move_rows(const Tensor& parent) {
  for (Tensor& tensor : carried) {
    tensor = tensor.defined() ? chosen_rows(tensor, parent) : tensor;
  }
  rooms_.resize(caches.size());
  for (size_t n = 0; n < caches.size(); ++n) {
    if (caches[n].defined()) {
      reorder_cache(caches[n], rooms_[n], parent, fed_);
    }
  }
}

void State::reorder(const Tensor& parent) {
  const NoGrad no_grad;
  require(parent.size(0) == hypotheses(), "state: saw {} parents of {} hypotheses", parent.size(0),
          hypotheses());
  move_rows(parent);
  position_ = chosen_rows(counted(), parent);
}

void State::select(std::span<const int32_t> rows) {
  const NoGrad no_grad;
  std::vector<int32_t> memory_of;
  std::vector<int32_t> fed;
  for (const int32_t row : rows) {
    require(row >= 0 && row < hypotheses(), "state: saw parent {} of {} hypotheses", row,
            hypotheses());
    memory_of.push_back(across_.memory_of()[static_cast<size_t>(row)]);
    fed.push_back(fed_[static_cast<size_t>(row)]);
  }
  const Tensor parent = index_of(rows, place_);
  move_rows(parent);
  position_ = chosen_rows(counted(), parent);
  fed_ = std::move(fed);
  look_across(memory_of);
}

void State::arrange_sources(std::span<const int32_t> kept, int64_t sources) {
  const NoGrad no_grad;
  std::vector<int32_t> memory_of;
  for (const int32_t source : across_.memory_of()) {
    const auto at = std::find(kept.begin(), kept.end(), source);
    require(at != kept.end(), "state: saw a hypothesis of source {}, which is not kept", source);
    memory_of.push_back(static_cast<int32_t>(at - kept.begin()));
  }
  own_memory_ =
      std::make_shared<Remembered>(with_room(*memory_, kept, sources, slots_of(*memory_)));
  memory_ = own_memory_;
  look_across(memory_of);
}

void State::join(const State& other, std::span<const int32_t> at) {
  const NoGrad no_grad;
  require(own_memory_ != nullptr, "state: saw sources joined before there is room for them");
  std::shared_ptr<Remembered> memory = own_memory_;
  if (slots_of(*memory) < slots_of(*other.memory_)) {
    std::vector<int32_t> all(memory->lengths.size());
    std::iota(all.begin(), all.end(), 0);
    memory = std::make_shared<Remembered>(
        with_room(*memory, all, static_cast<int64_t>(all.size()), slots_of(*other.memory_)));
  }
  const int64_t rows = hypotheses();
  const int64_t more = other.hypotheses();
  std::vector<int32_t> memory_of = across_.memory_of();
  for (const int32_t source : other.across_.memory_of()) {
    memory_of.push_back(at[static_cast<size_t>(source)]);
  }
  std::vector<Tensor> both = carried;
  for (size_t i = 0; i < both.size(); ++i) {
    both[i] = one_behind_the_other(carried[i], other.carried[i], rows, more);
  }
  std::vector<Memory> grown = caches;
  std::vector<CacheRoom> rooms = rooms_;
  rooms.resize(grown.size());
  for (size_t n = 0; n < grown.size(); ++n) {
    if (grown[n].defined()) {
      add_cache_rows(grown[n], rooms[n], more, fed_);
    }
  }
  const Tensor position = concat({counted(), other.counted()}, 0);
  write_sources(*memory, *other.memory_, at);
  own_memory_ = memory;
  memory_ = memory;
  look_across(memory_of);
  carried = std::move(both);
  caches = std::move(grown);
  rooms_ = std::move(rooms);
  position_ = position;
  fed_.insert(fed_.end(), other.fed_.begin(), other.fed_.end());
}

State::CacheBytes State::cache_bytes() const {
  CacheBytes all;
  const auto count = [&all](const Tensor& part) {
    if (part.defined()) {
      const int64_t bytes = part.numel() * static_cast<int64_t>(bytes_of(part.dtype()));
      all.held += bytes;
      all.of_slot += bytes / std::max<int64_t>(part.size(0) * part.size(2), 1);
    }
  };
  for (size_t n = 0; n < caches.size(); ++n) {
    const bool has_room = n < rooms_.size() && rooms_[n].memory.defined();
    const Memory& held = has_room ? rooms_[n].memory : caches[n];
    if (held.defined()) {
      count(held.values);
      count(held.keys.view().data == held.values.view().data ? Tensor() : held.keys);
      count(held.kernel_keys);
    }
  }
  return all;
}

void State::separate() {
  const NoGrad no_grad;
  for (Memory& cache : caches) {
    cache = cache.defined() ? copy_of_cache(cache) : cache;
  }
  rooms_.clear();
}

}  // namespace heed
