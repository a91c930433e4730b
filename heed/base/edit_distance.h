// The least number of edits that turn one sequence into another.
//
//   d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j]),  and with swaps
//             d(i-2, j-2) + 1 where a_{i-1} a_i = b_j b_{j-1}     (Damerau 1964, optimal string
//             alignment)
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heed {

enum class Swaps { no, yes };

/// For anything with size() and [] whose elements compare; O(|a| |b|) time, O(|b|) memory.
template <class Sequence>
std::size_t edit_distance(const Sequence& a, const Sequence& b, Swaps swaps = Swaps::no) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      if (swaps == Swaps::yes && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace heed
