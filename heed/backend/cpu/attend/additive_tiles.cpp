#include "heed/backend/cpu/attend/additive_tiles.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/backend/cpu/attend/additive_direct.h"
#include "heed/backend/cpu/attend/heads.h"
#include "heed/backend/cpu/attend/prepared_keys.h"
#include "heed/backend/cpu/attend/scratch.h"
#include "heed/backend/cpu/chunks.h"

namespace heed::cpu {
namespace {

// ln of the largest float is 88.7, of the smallest normal one −87.3.
constexpr float most_exponent = 80;
// Lower for gradients, which divide de, which may be small, by products of squares.
constexpr float most_gradient_exponent = 42;

// Sums of gradients should stay in the first-level cache. With few rows there is little work for
// each slot's keys, which should then be read in long runs and from few places at once.
constexpr int64_t few_rows = 2;
constexpr int64_t most_rows = 32;
constexpr int64_t chunk_for_few = 512;
constexpr int64_t usual_chunk = 128;
constexpr int64_t slots_for_few = 9;

float steepness_of(Activation activation) {
  switch (activation) {
    case Activation::tanh:
      return 2;
    case Activation::sigmoid:
      return 1;
    default:
      return 0;
  }
}

float largest(const float* x, int64_t n) {
  float most = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < n; ++i) {
    const float size = std::abs(x[i]);
    most = most < size ? size : most;
  }
  return most;
}

float sum_of(const float* x, int64_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) {
    sum += x[i];
  }
  return sum;
}

void products(float* to, const float* x, const float* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    to[i] = x[i] * y[i];
  }
}

TileRows part(TileRows rows, int64_t row, int64_t column) {
  return {rows.data + row * rows.stride + column, rows.stride};
}

/// Calls go(block, its tile) on the block, or on halves of it as long as `shares` says that some of
/// its pairs are too large for `most` terms a division, so that only those pairs take fewer.
template <class Shares, class Go>
void in_halves(const Block& b, TileRows tile, int most, const Shares& shares, const Go& go) {
  const int shared = shares(b);
  if (shared == most || (b.rows == 1 && b.slots == 1)) {
    go(b, tile, shared);
    return;
  }
  Block first = b;
  Block second = b;
  if (b.rows > b.slots) {
    first.rows = b.rows / 2;
    second.row += first.rows;
    second.rows -= first.rows;
  } else {
    first.slots = b.slots / 2;
    second.slot += first.slots;
    second.slots -= first.slots;
  }
  in_halves(first, tile, most, shares, go);
  in_halves(second, part(tile, second.row - b.row, second.slot - b.slot), most, shares, go);
}

}  // namespace

AdditiveTiles::AdditiveTiles(const AttendScore& score, const HeadOf& at)
    : width_(score.query.shape[4]),
      padded_(pieces_of(width_, product_group()) * product_group()),
      query_(head_rows(score.query, at)),
      keys_(group_rows(score.keys, at)) {
  const auto& pairs = std::get<AdditivePairs>(score.kind);
  given_v_ = pairs.v.as<float>() + at.group * pairs.v.strides[0] + at.head * pairs.v.strides[1];
  v_gap_ = pairs.v.strides[2];
  activation_ = pairs.activation;
  steepness_ = steepness_of(activation_);
  if (activation_ == Activation::tanh && pairs.prepared.data != nullptr) {
    given_exponentials_ = group_rows(pairs.prepared, at);
    given_reach_ = given_exponentials_;
    given_reach_.data += place_of_reach(width_);
  }
}

void AdditiveTiles::prepare(const Block& all) {
  all_ = all;
  const int64_t floats_a_row = steepness_ > 0 ? 2 * padded_ + 1 : 0;
  float* v = scratch(Scratch::query, width_ + all.rows * floats_a_row);
  for (int64_t a = 0; a < width_; ++a) {
    v[a] = given_v_[a * v_gap_];
  }
  v_ = v;
  total_ = sum_of(v, width_);
  if (steepness_ > 0) {
    headroom_ = most_exponent - std::log(std::max(1.0F, largest(v, width_)));
    prepare_queries(all, v + width_);
    prepare_keys(all);
  }
}

void AdditiveTiles::prepare_queries(const Block& all, float* memory) {
  below_ = {memory, padded_};
  weighed_ = {memory + all.rows * padded_, padded_};
  row_reach_ = memory + 2 * all.rows * padded_;
  for (int64_t r = 0; r < all.rows; ++r) {
    const float* query = query_[all.row + r];
    float* below = below_[r];
    float* weighed = weighed_[r];
    row_reach_[r] = largest(query, width_);
    product_exponentials(below, query, -steepness_, width_);
    products(weighed, below, v_, width_);
    std::fill(below + width_, below + padded_, 1.0F);
    std::fill(weighed + width_, weighed + padded_, 0.0F);
  }
}

void AdditiveTiles::prepare_keys(const Block& all) {
  const bool serves = given_exponentials_ && padded_ == width_;
  float* memory = scratch(Scratch::keys, all.slots * (serves ? 1 : padded_ + 1));
  slot_reach_ = memory;
  for (int64_t s = 0; s < all.slots; ++s) {
    const int64_t slot = all.slot + s;
    slot_reach_[s] = given_reach_ ? *given_reach_[slot] : largest(keys_[slot], width_);
  }
  if (serves) {
    grown_ = given_exponentials_.from(all.slot);
    return;
  }
  grown_ = {memory + all.slots, padded_};
  for (int64_t s = 0; s < all.slots; ++s) {
    float* grown = grown_[s];
    if (given_exponentials_) {
      std::copy_n(given_exponentials_[all.slot + s], width_, grown);
    } else {
      product_exponentials(grown, keys_[all.slot + s], steepness_, width_);
    }
    std::fill(grown + width_, grown + padded_, 1.0F);
  }
}

float AdditiveTiles::reach(const Block& b) const {
  const float* row = row_reach_ + b.row - all_.row;
  const float* slot = slot_reach_ + b.slot - all_.slot;
  return std::max(*std::max_element(row, row + b.rows), *std::max_element(slot, slot + b.slots));
}

int AdditiveTiles::shared_scores(const Block& b) const {
  const float exponent = steepness_ * reach(b);
  for (const int shared : {4, 2, 1}) {
    if (exponent * static_cast<float>(shared) <= headroom_) {
      return shared;
    }
  }
  return 0;
}

int AdditiveTiles::shared_gradients(const Block& b) const {
  const float exponent = steepness_ * reach(b);
  for (const int shared : {2, 1}) {
    if (exponent * static_cast<float>(2 * shared) <= most_gradient_exponent) {
      return shared;
    }
  }
  return 0;
}

void AdditiveTiles::scores(const Block& b, TileRows e) const {
  if (steepness_ == 0) {
    direct_block(b, e);
    return;
  }
  in_halves(
      b, e, 4, [this](const Block& some) { return shared_scores(some); },
      [this](const Block& some, TileRows to, int shared) {
        shared > 0 ? product_block(some, to, shared) : direct_block(some, to);
      });
}

void AdditiveTiles::gradients(const Block& b, TileRows de, const HeadGradients& to) const {
  if (steepness_ == 0) {
    direct_block(b, de, to);
    return;
  }
  in_halves(
      b, de, 2, [this](const Block& some) { return shared_gradients(some); },
      [this, &to](const Block& some, TileRows from, int shared) {
        shared > 0 ? product_block(some, from, to, shared) : direct_block(some, from, to);
      });
}

void AdditiveTiles::product_block(const Block& b, TileRows e, int shared) const {
  ProductScores block;
  block.rows = b.rows;
  block.slots = b.slots;
  block.width = padded_;
  block.below = below_.from(b.row - all_.row);
  block.weighed = weighed_.from(b.row - all_.row);
  block.keys = grown_.from(b.slot - all_.slot);
  block.total = total_;
  block.steepness = steepness_;
  block.e = e;
  product_scores(block, shared);
}

void AdditiveTiles::product_block(const Block& b, TileRows de, const HeadGradients& to,
                                  int shared) const {
  alignas(64) float along[most_rows * usual_chunk];
  alignas(64) float plain[most_rows * usual_chunk];
  alignas(64) float across[slots_for_few * chunk_for_few];
  const bool is_few = b.rows <= few_rows;
  const int64_t chunk = is_few ? chunk_for_few : usual_chunk;
  const int64_t rows_at_once = is_few ? few_rows : most_rows;
  const int64_t slots_at_once = is_few ? slots_for_few : product_slots;
  if (to.dv != nullptr) {
    float sum = 0;
    for (int64_t r = 0; r < b.rows; ++r) {
      sum = std::accumulate(de[r], de[r] + b.slots, sum);
    }
    for (int64_t a = 0; a < width_; ++a) {
      to.dv[a] += sum;
    }
  }
  if (b.rows == 1 && to.dkeys && padded_ == width_) {
    product_row(b, de, to, shared);
    return;
  }
  for (int64_t a = 0; a < padded_; a += chunk) {
    for (int64_t r = 0; r < b.rows; r += rows_at_once) {
      ProductGradients block;
      block.rows = std::min(rows_at_once, b.rows - r);
      block.width = std::min(chunk, padded_ - a);
      block.below = part(below_, b.row - all_.row + r, a);
      block.along = {along, block.width};
      block.plain = {plain, block.width};
      block.across = {across, block.width};
      std::fill(along, along + block.rows * block.width, 0.0F);
      std::fill(plain, plain + block.rows * block.width, 0.0F);
      for (int64_t s = 0; s < b.slots; s += slots_at_once) {
        block.slots = std::min(slots_at_once, b.slots - s);
        block.keys = part(grown_, b.slot - all_.slot + s, a);
        block.de = part(de, r, s);
        std::fill(across, across + block.slots * block.width, 0.0F);
        product_gradients(block, shared);
        finish_keys(block, b.slot + s, a, to.dkeys);
      }
      finish_rows(block, b.row + r, a, to);
    }
  }
}

// dk += κ² v x z y is added directly, because one row needs no sum for a slot.
void AdditiveTiles::product_row(const Block& b, TileRows de, const HeadGradients& to,
                                int shared) const {
  alignas(64) float along[chunk_for_few];
  alignas(64) float plain[chunk_for_few];
  alignas(64) float factor[chunk_for_few];
  const float square = steepness_ * steepness_;
  for (int64_t a = 0; a < padded_; a += chunk_for_few) {
    ProductGradients block;
    block.rows = 1;
    block.slots = b.slots;
    block.width = std::min(chunk_for_few, padded_ - a);
    block.below = part(below_, b.row - all_.row, a);
    block.keys = part(grown_, b.slot - all_.slot, a);
    block.de = de;
    block.along = {along, block.width};
    block.plain = {plain, block.width};
    block.across = part(to.dkeys, b.slot, a);
    std::fill_n(along, block.width, 0.0F);
    std::fill_n(plain, block.width, 0.0F);
    const float* weighed = part(weighed_, b.row - all_.row, a).data;
    for (int64_t i = 0; i < block.width; ++i) {
      factor[i] = square * weighed[i];
    }
    product_row_gradients(block, factor, shared);
    finish_rows(block, b.row, a, to);
  }
}

// dk += κ² v y across
void AdditiveTiles::finish_keys(const ProductGradients& block, int64_t slot, int64_t first,
                                TileRows dkeys) const {
  if (!dkeys) {
    return;
  }
  const int64_t n = std::min(block.width, width_ - first);
  const float* v = v_ + first;
  const float square = steepness_ * steepness_;
  for (int64_t s = 0; s < block.slots; ++s) {
    float* dkey = dkeys[slot + s] + first;
    const float* y = block.keys[s];
    const float* across = block.across[s];
#pragma omp simd
    for (int64_t a = 0; a < n; ++a) {
      dkey[a] += square * v[a] * y[a] * across[a];
    }
  }
}

// dq += κ² v x along      dv −= κ x (x plain + along); the rest of dv is Σ de
void AdditiveTiles::finish_rows(const ProductGradients& block, int64_t row, int64_t first,
                                const HeadGradients& to) const {
  const int64_t n = std::min(block.width, width_ - first);
  const float* v = v_ + first;
  const float steepness = steepness_;
  const float square = steepness * steepness;
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* x = block.below[r];
    const float* along = block.along[r];
    const float* plain = block.plain[r];
    if (to.dquery) {
      float* dquery = to.dquery[row + r] + first;
#pragma omp simd
      for (int64_t a = 0; a < n; ++a) {
        dquery[a] += square * v[a] * x[a] * along[a];
      }
    }
    if (to.dv != nullptr) {
      float* dv = to.dv + first;
#pragma omp simd
      for (int64_t a = 0; a < n; ++a) {
        dv[a] -= steepness * x[a] * (x[a] * plain[a] + along[a]);
      }
    }
  }
}

void AdditiveTiles::direct_block(const Block& b, TileRows e) const {
  for (int64_t r = 0; r < b.rows; ++r) {
    for (int64_t s = 0; s < b.slots; ++s) {
      e[r][s] = direct_score({activation_, width_, query_[b.row + r], keys_[b.slot + s], v_});
    }
  }
}

void AdditiveTiles::direct_block(const Block& b, TileRows de, const HeadGradients& to) const {
  for (int64_t r = 0; r < b.rows; ++r) {
    for (int64_t s = 0; s < b.slots; ++s) {
      direct_gradients({activation_, width_, query_[b.row + r], keys_[b.slot + s], v_}, de[r][s],
                       {to.dquery ? to.dquery[b.row + r] : nullptr,
                        to.dkeys ? to.dkeys[b.slot + s] : nullptr, to.dv});
    }
  }
}

}  // namespace heed::cpu
