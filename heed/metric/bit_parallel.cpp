#include "heed/metric/bit_parallel.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::size_t block_size = 64;
constexpr double most_cells = 1099511627776.0;  // 2^40: a quarter of an hour

void check_size(std::size_t a, std::size_t b) {
  require(static_cast<double>(a) * static_cast<double>(b) <= most_cells,
          "metric: a line of {} units beside one of {} is too long to compare (their product may "
          "be 2^40); split the lines",
          a, b);
}

/// For each number, the rows of a block of 64 that hold it.
class RowMasks {
 public:
  RowMasks(const Numbers& a, const Numbers& b) {
    uint32_t largest = 0;
    for (const Numbers* numbers : {&a, &b}) {
      for (const uint32_t number : *numbers) {
        largest = std::max(largest, number);
      }
    }
    masks_.resize(static_cast<std::size_t>(largest) + 1);
  }
  void take(std::span<const uint32_t> block) {
    for (const uint32_t number : block_) {
      masks_[number] = 0;
    }
    block_ = block;
    for (std::size_t row = 0; row < block.size(); ++row) {
      masks_[block[row]] |= uint64_t{1} << row;
    }
  }
  uint64_t operator[](uint32_t number) const { return masks_[number]; }

 private:
  std::vector<uint64_t> masks_;
  std::span<const uint32_t> block_;
};

std::span<const uint32_t> block_of(const Numbers& a, std::size_t first) {
  return std::span(a).subspan(first, std::min(block_size, a.size() - first));
}

/// One block of rows over all columns. `across[j]` is d(i, j + 1) − d(i, j): of the row above the
/// block on entry, and of the block's last row on return.
void pass_block(const RowMasks& masks, std::size_t rows, const Numbers& b,
                std::vector<int8_t>& across) {
  const uint64_t last = uint64_t{1} << (rows - 1);
  uint64_t rises = ~uint64_t{0};  // rows where d grows downward, and where it falls
  uint64_t falls = 0;
  for (std::size_t j = 0; j < b.size(); ++j) {
    const uint64_t from_above_falls = across[j] < 0 ? 1 : 0;
    const uint64_t from_above_rises = across[j] > 0 ? 1 : 0;
    const uint64_t equal = masks[b[j]];
    const uint64_t down = equal | falls;
    const uint64_t same = equal | from_above_falls;
    const uint64_t over = (((same & rises) + rises) ^ rises) | same;
    uint64_t grows = falls | ~(over | rises);  // rows where d grows from this column to the next
    uint64_t shrinks = rises & over;
    across[j] =
        static_cast<int8_t>(((grows & last) != 0 ? 1 : 0) - ((shrinks & last) != 0 ? 1 : 0));
    grows = grows << 1 | from_above_rises;
    shrinks = shrinks << 1 | from_above_falls;
    rises = shrinks | ~(down | grows);
    falls = grows & down;
  }
}

/// Removes the common beginning and end of two sequences, which cost nothing.
void drop_shared_ends(std::span<const uint32_t>& a, std::span<const uint32_t>& b) {
  const auto before = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  a = a.subspan(static_cast<std::size_t>(before));
  b = b.subspan(static_cast<std::size_t>(before));
  const auto behind = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
  a = a.first(a.size() - static_cast<std::size_t>(behind));
  b = b.first(b.size() - static_cast<std::size_t>(behind));
}

}  // namespace

Numbers Numbering::of(const std::vector<std::string>& texts) {
  Numbers numbers;
  numbers.reserve(texts.size());
  for (const std::string& text : texts) {
    numbers.push_back(
        numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size())).first->second);
  }
  return numbers;
}

int64_t edits_between(const Numbers& a, const Numbers& b) {
  std::span<const uint32_t> left = a;
  std::span<const uint32_t> right = b;
  drop_shared_ends(left, right);
  const Numbers rows(left.begin(), left.end());
  const Numbers columns(right.begin(), right.end());
  check_size(rows.size(), columns.size());
  std::vector<int8_t> across(columns.size(), 1);  // d(0, j) = j
  RowMasks masks(rows, columns);
  for (std::size_t first = 0; first < rows.size(); first += block_size) {
    const auto block = block_of(rows, first);
    masks.take(block);
    pass_block(masks, block.size(), columns, across);
  }
  auto distance = static_cast<int64_t>(rows.size());  // d(|a|, 0)
  for (const int8_t step : across) {
    distance += step;
  }
  return distance;
}

int64_t common_subsequence(const Numbers& a, const Numbers& b) {
  check_size(a.size(), b.size());
  std::vector<uint8_t> carries(b.size());  // into the next block's sum, of each column
  RowMasks masks(a, b);
  int64_t length = 0;
  for (std::size_t first = 0; first < a.size(); first += block_size) {
    const auto block = block_of(a, first);
    masks.take(block);
    uint64_t open = ~uint64_t{0};  // a zero is a row where the subsequence grows
    for (std::size_t j = 0; j < b.size(); ++j) {
      const uint64_t meets = open & masks[b[j]];
      const uint64_t sum = open + meets;
      const uint64_t whole = sum + carries[j];
      carries[j] = sum < open || whole < sum ? 1 : 0;
      open = whole | (open - meets);
    }
    const uint64_t rows =
        block.size() == block_size ? ~uint64_t{0} : (uint64_t{1} << block.size()) - 1;
    length += std::popcount(~open & rows);
  }
  return length;
}

}  // namespace heed
