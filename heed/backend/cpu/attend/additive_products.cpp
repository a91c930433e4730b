#include "heed/backend/cpu/attend/additive_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attend/additive_products.cpp"
#include <hwy/foreach_target.h>
// foreach_target must be included first.
#include "heed/backend/cpu/simd-inl.h"
#include "heed/backend/cpu/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

constexpr int most_shared = 4;
// The number of slots that share a row's loads. With four GCC 12 runs out of registers.
constexpr int64_t tile = 3;

void exponentials_of(float* HWY_RESTRICT to, const float* HWY_RESTRICT x, float factor,
                     int64_t count) {
  const Floats times = spread(factor);
  const auto exponential = [&](const float* from) HWY_ATTR {
    return scaled_exp<0>(Wide(), hn::Mul(times, load(from)));
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    Floats some[4];
    for (int64_t k = 0; k < 4; ++k) {
      some[k] = exponential(x + i + k * lanes);
    }
    for (int64_t k = 0; k < 4; ++k) {
      store(to + i + k * lanes, some[k]);
    }
  }
  for (; i < count; i += lanes) {
    HWY_ALIGN float held[lanes] = {};
    const int64_t rest = HWY_MIN(lanes, count - i);
    std::copy_n(x + i, rest, held);
    hn::Store(exponential(held), Wide(), held);
    std::copy_n(held, rest, to + i);
  }
}

struct Fraction {
  Floats top;
  Floats bottom;
};

/// The sum of n fractions weighed / (below + key) as one fraction.
template <int n>
HWY_INLINE Fraction fraction(const float* HWY_RESTRICT below, const float* HWY_RESTRICT weighed,
                             const float* HWY_RESTRICT key) {
  if constexpr (n == 1) {
    return {load(weighed), hn::Add(load(below), load(key))};
  } else {
    const int64_t half = n / 2 * lanes;
    const Fraction a = fraction<n / 2>(below, weighed, key);
    const Fraction b = fraction<n / 2>(below + half, weighed + half, key + half);
    return {hn::MulAdd(a.top, b.bottom, hn::Mul(b.top, a.bottom)), hn::Mul(a.bottom, b.bottom)};
  }
}

/// One row with `slots` slots.
template <int n, int slots>
HWY_INLINE void score_tile(const ProductScores& block, int64_t r, int64_t s) {
  const float* HWY_RESTRICT below = block.below[r];
  const float* HWY_RESTRICT weighed = block.weighed[r];
  const float* HWY_RESTRICT keys[slots];
  Floats sums[slots];
  Floats late[slots];
  for (int i = 0; i < slots; ++i) {
    keys[i] = block.keys[s + i];
    sums[i] = hn::Zero(Wide());
    late[i] = hn::Zero(Wide());
  }
  // A quotient is added one iteration later, so that nothing waits for a division.
  for (int64_t a = 0; a < block.width; a += n * lanes) {
    for (int i = 0; i < slots; ++i) {
      const Fraction terms = fraction<n>(below + a, weighed + a, keys[i] + a);
      sums[i] = hn::Add(sums[i], late[i]);
      late[i] = hn::Div(terms.top, terms.bottom);
    }
  }
  for (int i = 0; i < slots; ++i) {
    const float sum = hn::GetLane(hn::SumOfLanes(Wide(), hn::Add(sums[i], late[i])));
    block.e[r][s + i] = block.total - block.steepness * sum;
  }
}

template <int n, int slots>
HWY_INLINE void score_rows(const ProductScores& block, int64_t s) {
  for (int64_t r = 0; r < block.rows; ++r) {
    score_tile<n, slots>(block, r, s);
  }
}

template <int n>
void scores(const ProductScores& block) {
  int64_t s = 0;
  for (; s + tile <= block.slots; s += tile) {
    score_rows<n, tile>(block, s);
  }
  if (s + 2 == block.slots) {
    score_rows<n, 2>(block, s);
  } else if (s < block.slots) {
    score_rows<n, 1>(block, s);
  }
}

/// Begins a slot: computes the squared denominators of its pairs, and de divided by their product.
template <int n, int rows>
HWY_INLINE void divide(const float* HWY_RESTRICT key, const float* HWY_RESTRICT de,
                       const Floats (&below)[rows][n], Floats (&square)[rows][n],
                       Floats (&quotient)[rows]) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < n; ++j) {
      const Floats sum = hn::Add(below[i][j], load(key + j * lanes));
      square[i][j] = hn::Mul(sum, sum);
    }
    const Floats product = n == 1 ? square[i][0] : hn::Mul(square[i][0], square[i][n - 1]);
    quotient[i] = hn::Div(load(de + i * lanes), product);
  }
}

/// The sums of some rows over slots.
template <int n, int rows>
struct Sums {
  Floats (&along)[rows][n];
  Floats (&plain)[rows][n];
};

/// Ends a slot: adds its quotients to the sums.
template <int n, int rows>
HWY_INLINE void add_up(const float* HWY_RESTRICT key, float* HWY_RESTRICT across,
                       const Floats (&below)[rows][n], const Floats (&square)[rows][n],
                       const Floats (&quotient)[rows], const Sums<n, rows>& sums) {
  for (int j = 0; j < n; ++j) {
    const Floats y = load(key + j * lanes);
    Floats sum = load(across + j * lanes);
    for (int i = 0; i < rows; ++i) {
      const Floats z = n == 1 ? quotient[i] : hn::Mul(quotient[i], square[i][n - 1 - j]);
      sums.along[i][j] = hn::MulAdd(z, y, sums.along[i][j]);
      sums.plain[i][j] = hn::Add(sums.plain[i][j], z);
      sum = hn::MulAdd(z, below[i][j], sum);
    }
    store(across + j * lanes, sum);
  }
}

/// `rows` rows with all slots, at n vectors of channels from a on. The divisions of a slot begin
/// before the previous slot has ended, because they take long.
template <int n, int rows>
HWY_INLINE void gradient_channels(const ProductGradients& block, const float* HWY_RESTRICT de,
                                  int64_t a, const Floats (&below)[rows][n],
                                  const Sums<n, rows>& sums) {
  const float* HWY_RESTRICT key = block.keys.data + a;
  float* HWY_RESTRICT across = block.across.data + a;
  const int64_t key_stride = block.keys.stride;
  const int64_t across_stride = block.across.stride;
  const int64_t last = block.slots - 1;
  Floats even_square[rows][n];
  Floats even[rows];
  Floats odd_square[rows][n];
  Floats odd[rows];
  divide<n, rows>(key, de, below, even_square, even);
  int64_t s = 0;
  for (; s < last; s += 2) {
    const int64_t next = s + 2 < last ? s + 2 : last;
    divide<n, rows>(key + (s + 1) * key_stride, de + (s + 1) * rows * lanes, below, odd_square,
                    odd);
    add_up<n, rows>(key + s * key_stride, across + s * across_stride, below, even_square, even,
                    sums);
    divide<n, rows>(key + next * key_stride, de + next * rows * lanes, below, even_square, even);
    add_up<n, rows>(key + (s + 1) * key_stride, across + (s + 1) * across_stride, below, odd_square,
                    odd, sums);
  }
  if (s == last) {
    add_up<n, rows>(key + s * key_stride, across + s * across_stride, below, even_square, even,
                    sums);
  }
}

template <int n, int rows>
HWY_INLINE void gradient_rows(const ProductGradients& block, int64_t r,
                              const float* HWY_RESTRICT de) {
  for (int64_t a = 0; a < block.width; a += n * lanes) {
    Floats below[rows][n];
    Floats along[rows][n];
    Floats plain[rows][n];
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < n; ++j) {
        const int64_t at = a + j * lanes;
        below[i][j] = load(block.below[r + i] + at);
        along[i][j] = load(block.along[r + i] + at);
        plain[i][j] = load(block.plain[r + i] + at);
      }
    }
    gradient_channels<n, rows>(block, de, a, below, {along, plain});
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < n; ++j) {
        const int64_t at = a + j * lanes;
        store(block.along[r + i] + at, along[i][j]);
        store(block.plain[r + i] + at, plain[i][j]);
      }
    }
  }
}

/// Copies de of `rows` rows, each number into all lanes of a vector.
template <int rows>
HWY_INLINE void spread_rows(const ProductGradients& block, int64_t r, float* HWY_RESTRICT to) {
  for (int64_t s = 0; s < block.slots; ++s) {
    for (int i = 0; i < rows; ++i) {
      store(to, spread(block.de[r + i][s]));
      to += lanes;
    }
  }
}

template <int n>
void gradients(const ProductGradients& block) {
  HWY_ALIGN float de[2 * product_slots * lanes];
  int64_t r = 0;
  for (; r + 2 <= block.rows; r += 2) {
    spread_rows<2>(block, r, de);
    gradient_rows<n, 2>(block, r, de);
  }
  if (r < block.rows) {
    spread_rows<1>(block, r, de);
    gradient_rows<n, 1>(block, r, de);
  }
}

/// Adds the gradients of one row's pairs with a slot at n vectors of channels.
template <int n>
HWY_INLINE void gradient_pairs(const float* HWY_RESTRICT below, const float* HWY_RESTRICT key,
                               Floats de, Floats (&z)[n]) {
  Floats square[n];
  for (int j = 0; j < n; ++j) {
    const Floats sum = hn::Add(load(below + j * lanes), load(key + j * lanes));
    square[j] = hn::Mul(sum, sum);
  }
  const Floats product = n == 1 ? square[0] : hn::Mul(square[0], square[n - 1]);
  const Floats quotient = hn::Div(de, product);
  for (int j = 0; j < n; ++j) {
    z[j] = n == 1 ? quotient : hn::Mul(quotient, square[n - 1 - j]);
  }
}

/// The only row with `slots` neighbouring slots from s on.
template <int n, int slots>
HWY_INLINE void gradient_slots(const ProductGradients& block, const float* HWY_RESTRICT factor,
                               int64_t s) {
  const float* HWY_RESTRICT below = block.below.data;
  float* HWY_RESTRICT along = block.along.data;
  float* HWY_RESTRICT plain = block.plain.data;
  const int64_t width = block.width;
  const float* HWY_RESTRICT keys[slots];
  float* HWY_RESTRICT across[slots];
  Floats de[slots];
  for (int i = 0; i < slots; ++i) {
    keys[i] = block.keys[s + i];
    across[i] = block.across[s + i];
    de[i] = spread(block.de.data[s + i]);
  }
  for (int64_t a = 0; a < width; a += n * lanes) {
    Floats z[slots][n];
    for (int i = 0; i < slots; ++i) {
      gradient_pairs<n>(below + a, keys[i] + a, de[i], z[i]);
    }
    for (int j = 0; j < n; ++j) {
      const int64_t at = a + j * lanes;
      const Floats by = load(factor + at);
      Floats rows_along = load(along + at);
      Floats rows_plain = load(plain + at);
      for (int i = 0; i < slots; ++i) {
        const Floats zy = hn::Mul(z[i][j], load(keys[i] + at));
        store(across[i] + at, hn::MulAdd(zy, by, load(across[i] + at)));
        rows_along = hn::Add(rows_along, zy);
        rows_plain = hn::Add(rows_plain, z[i][j]);
      }
      store(along + at, rows_along);
      store(plain + at, rows_plain);
    }
  }
}

template <int n>
void row_gradients(const ProductGradients& block, const float* factor) {
  int64_t s = 0;
  for (; s + 4 <= block.slots; s += 4) {
    gradient_slots<n, 4>(block, factor, s);
  }
  for (; s < block.slots; ++s) {
    gradient_slots<n, 1>(block, factor, s);
  }
}

int64_t group() { return most_shared * lanes; }

void scores_by(const ProductScores& block, int shared) {
  shared == 4 ? scores<4>(block) : shared == 2 ? scores<2>(block) : scores<1>(block);
}

void gradients_by(const ProductGradients& block, int shared) {
  shared == 2 ? gradients<2>(block) : gradients<1>(block);
}

void row_gradients_by(const ProductGradients& block, const float* factor, int shared) {
  shared == 2 ? row_gradients<2>(block, factor) : row_gradients<1>(block, factor);
}

}  // namespace
}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(group);
HWY_EXPORT(exponentials_of);
HWY_EXPORT(scores_by);
HWY_EXPORT(gradients_by);
HWY_EXPORT(row_gradients_by);

int64_t product_group() { return HWY_DYNAMIC_DISPATCH(group)(); }
void product_exponentials(float* to, const float* x, float factor, int64_t count) {
  HWY_DYNAMIC_DISPATCH(exponentials_of)(to, x, factor, count);
}
void product_scores(const ProductScores& block, int shared) {
  HWY_DYNAMIC_DISPATCH(scores_by)(block, shared);
}
void product_gradients(const ProductGradients& block, int shared) {
  HWY_DYNAMIC_DISPATCH(gradients_by)(block, shared);
}
void product_row_gradients(const ProductGradients& block, const float* factor, int shared) {
  HWY_DYNAMIC_DISPATCH(row_gradients_by)(block, factor, shared);
}

}  // namespace heed::cpu
#endif
