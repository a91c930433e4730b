// What every kind of BLEU counts: the n-grams of an output that its references have as well
// (Papineni et al. 2002).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heed/metric/metric.h"

namespace heed {

using WordList = std::vector<std::u32string>;

/// Of one sentence, or summed over several.
struct NgramCounts {
  static constexpr std::size_t orders = 4;

  NgramCounts() = default;
  /// There must be at least one reference.
  NgramCounts(const WordList& output, std::span<const WordList> references);
  /// From what `statistics` made.
  explicit NgramCounts(const Statistics& sum);

  Statistics statistics() const;
  bool matches_nothing() const;

  double length = 0;
  /// The length of the reference that is nearest to `length`; of two equally near the shorter.
  double reference_length = 0;
  /// Σ_g min(times in the output, most times in one reference), for each order
  std::array<double, orders> common{};
  std::array<double, orders> total{};
};

}  // namespace heed
