// Edit distance and longest common subsequence of long sequences, 64 cells of the table at a time:
// one column of 64 rows is two machine words (Myers 1999, Hyyrö 2003 and 2004). Time is O(|a| |b| /
// 64), memory O(|a| + |b|).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

using Numbers = std::vector<uint32_t>;

/// Numbers texts, equal texts with equal numbers. The texts must outlive it.
class Numbering {
 public:
  Numbers of(const std::vector<std::string>& texts);

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

/// The least number of insertions, deletions and substitutions that turn a into b. Numbers count
/// from 0. A table of more than 2⁴⁰ cells is an Error.
int64_t edits_between(const Numbers& a, const Numbers& b);
/// The length of the longest common subsequence.
int64_t common_subsequence(const Numbers& a, const Numbers& b);

}  // namespace heed
