// d(i, j) = min(d(i-1, j-1) + [h_i ≠ r_j], d(i-1, j) + 1, d(i, j-1) + 1) within a band around the
// diagonal. Then, as long as that saves an edit, a block h[s, s+l) = r[t, t+l) is moved next to the
// word that is aligned with r_t.
#include "heed/metric/shifted_edits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace heed {
namespace {

// Tercom's limits, and sacreBLEU's on the moves tried for a sentence.
constexpr std::size_t most_block = 10;
constexpr std::size_t most_distance = 50;
constexpr std::int64_t least_band = 25;
constexpr int most_moves_tried = 1000;

enum class Edit : std::uint8_t { none, match, substitute, remove, insert };

struct Cell {
  long cost = std::numeric_limits<long>::max() / 2;
  Edit edit = Edit::none;
};

/// The cells of a row within the band; those outside have an infinite cost.
struct Row {
  std::size_t first = 0;
  std::vector<Cell> cells;

  Cell operator[](std::size_t j) const {
    return j < first || j - first >= cells.size() ? Cell() : cells[j - first];
  }
};

/// The rows of d for a hypothesis; another hypothesis with the same beginning reuses its rows.
class EditTable {
 public:
  explicit EditTable(std::u32string_view reference) : reference_(reference), rows_(1) {
    for (std::size_t j = 0; j <= reference.size(); ++j) {
      rows_.front().cells.push_back({static_cast<long>(j), Edit::insert});
    }
  }

  /// d(|h|, |r|); every row is kept.
  long fill(std::u32string_view hypothesis) {
    rows_.resize(hypothesis.size() + 1);
    for (std::size_t i = 1; i <= hypothesis.size(); ++i) {
      fill_row(hypothesis, i, rows_[i - 1], rows_[i]);
    }
    return rows_.back()[reference_.size()].cost;
  }

  /// d(|h|, |r|) of another hypothesis of the same length, whose first `shared` words are the same.
  long cost(std::u32string_view hypothesis, std::size_t shared) {
    above_ = rows_[shared];
    for (std::size_t i = shared + 1; i <= hypothesis.size(); ++i) {
      fill_row(hypothesis, i, above_, row_);
      std::swap(above_, row_);
    }
    return above_[reference_.size()].cost;
  }

  /// The edits from the last word to the first.
  std::vector<Edit> trace() const {
    std::vector<Edit> edits;
    std::size_t i = rows_.size() - 1;
    std::size_t j = reference_.size();
    while (i > 0 || j > 0) {
      const Edit edit = rows_[i][j].edit;
      edits.push_back(edit);
      i -= edit == Edit::insert ? 0 : 1;
      j -= edit == Edit::remove ? 0 : 1;
    }
    return edits;
  }

 private:
  void fill_row(std::u32string_view hypothesis, std::size_t i, const Row& above, Row& row) const {
    const auto width = static_cast<std::int64_t>(reference_.size()) + 1;
    const double ratio =
        static_cast<double>(reference_.size()) / static_cast<double>(hypothesis.size());
    const std::int64_t band =
        static_cast<double>(least_band) < ratio / 2
            ? static_cast<std::int64_t>(std::ceil(ratio / 2 + static_cast<double>(least_band)))
            : least_band;
    const auto middle = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio));
    const std::int64_t first = std::max<std::int64_t>(0, middle - band);
    const std::int64_t end = i == hypothesis.size() ? width : std::min(width, middle + band);
    row.first = static_cast<std::size_t>(first);
    row.cells.clear();
    for (auto j = static_cast<std::size_t>(first); j < static_cast<std::size_t>(end); ++j) {
      row.cells.push_back(cell(hypothesis[i - 1], j, above, row));
    }
  }

  Cell cell(char32_t word, std::size_t j, const Row& above, const Row& row) const {
    if (j == 0) {
      return {above[j].cost + 1, Edit::remove};
    }
    const bool matches = word == reference_[j - 1];
    Cell best;
    offer(best, above[j - 1].cost + (matches ? 0 : 1), matches ? Edit::match : Edit::substitute);
    offer(best, above[j].cost + 1, Edit::remove);
    offer(best, row[j - 1].cost + 1, Edit::insert);
    return best;
  }

  /// Of edits that cost the same, the first offered stays.
  static void offer(Cell& cell, long cost, Edit edit) {
    if (cost < cell.cost) {
      cell = {cost, edit};
    }
  }

  std::u32string_view reference_;
  std::vector<Row> rows_;
  Row above_;
  Row row_;
};

/// Which word of the hypothesis belongs to each of the reference (−1: before the first), and which
/// words of either are wrong.
struct Alignment {
  std::vector<std::int64_t> of_reference;
  std::vector<bool> is_wrong_reference;
  std::vector<bool> is_wrong_hypothesis;

  explicit Alignment(const std::vector<Edit>& from_the_last) {
    std::int64_t at = -1;
    for (auto edit = from_the_last.rbegin(); edit != from_the_last.rend(); ++edit) {
      const bool is_wrong = *edit != Edit::match;
      if (*edit != Edit::insert) {
        ++at;
        is_wrong_hypothesis.push_back(is_wrong);
      }
      if (*edit != Edit::remove) {
        of_reference.push_back(at);
        is_wrong_reference.push_back(is_wrong);
      }
    }
  }
};

struct Block {
  std::size_t start = 0;  // in the hypothesis
  std::size_t match = 0;  // in the reference
  std::size_t length = 0;
};

bool any(const std::vector<bool>& flags, std::size_t start, std::size_t length) {
  const auto first = flags.begin() + static_cast<std::ptrdiff_t>(start);
  return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
         first + static_cast<std::ptrdiff_t>(length);
}

/// `words` with the block moved to before position `target`, counted before the move. A target
/// inside the block means that position after the block was taken out.
std::u32string moved(const std::u32string& words, const Block& block, std::size_t target) {
  const std::size_t end = block.start + block.length;
  const std::u32string piece = words.substr(block.start, block.length);
  std::u32string rest = words.substr(0, block.start) + words.substr(end);
  const std::size_t place = target < block.start ? target
                            : target > end       ? target - block.length
                                                 : std::min(target, rest.size());
  return rest.insert(place, piece);
}

/// A tried move. The members are in the order in which Tercom compares moves.
struct Move {
  long saves = 0;
  std::size_t length = 0;
  std::size_t start = 0;
  std::size_t target = 0;
  std::u32string words;

  bool beats(const Move& other) const {
    return std::tuple(saves, length, other.start, other.target) >
           std::tuple(other.saves, other.length, start, target);
  }
};

class Shifter {
 public:
  Shifter(std::u32string_view hypothesis, std::u32string_view reference)
      : words_(hypothesis), reference_(reference), table_(reference) {}

  long edits() {
    long moves = 0;
    for (std::optional<Move> best = best_move();
         tried_ < most_moves_tried && best && best->saves > 0; best = best_move()) {
      ++moves;
      words_ = best->words;
    }
    return moves + table_.fill(words_);
  }

 private:
  std::optional<Move> best_move() {
    cost_ = table_.fill(words_);
    const Alignment alignment(table_.trace());
    std::optional<Move> best;
    for (std::size_t start = 0; start < words_.size(); ++start) {
      const std::size_t end = std::min(reference_.size(), start + most_distance + 1);
      for (std::size_t match = start - std::min(start, most_distance); match < end; ++match) {
        if (!try_blocks({start, match, 0}, alignment, best)) {
          return best;
        }
      }
    }
    return best;
  }

  /// Tries blocks of all lengths from here; false once enough moves were tried.
  bool try_blocks(Block block, const Alignment& alignment, std::optional<Move>& best) {
    while (block.length < most_block && block.start + block.length < words_.size() &&
           block.match + block.length < reference_.size() &&
           words_[block.start + block.length] == reference_[block.match + block.length]) {
      ++block.length;
      if (is_worth_moving(block, alignment)) {
        try_targets(block, alignment, best);
        if (tried_ >= most_moves_tried) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether the block has an error on either side and does not already cover its target.
  static bool is_worth_moving(const Block& block, const Alignment& alignment) {
    const std::int64_t there = alignment.of_reference[block.match];
    const auto start = static_cast<std::int64_t>(block.start);
    return any(alignment.is_wrong_hypothesis, block.start, block.length) &&
           any(alignment.is_wrong_reference, block.match, block.length) &&
           !(there >= start && there < start + static_cast<std::int64_t>(block.length));
  }

  /// Tries to move the block behind each word aligned with the reference words from match − 1 on.
  void try_targets(const Block& block, const Alignment& alignment, std::optional<Move>& best) {
    std::int64_t last = -1;
    for (std::size_t offset = 0; offset <= block.length; ++offset) {
      const std::size_t at = block.match + offset;  // one after the word it goes behind
      if (at > reference_.size()) {
        break;
      }
      const std::int64_t target = at == 0 ? 0 : alignment.of_reference[at - 1] + 1;
      if (target == last) {
        continue;
      }
      last = target;
      Move move = tried(block, static_cast<std::size_t>(target));
      ++tried_;
      if (!best || move.beats(*best)) {
        best = std::move(move);
      }
    }
  }

  Move tried(const Block& block, std::size_t target) {
    std::u32string words = moved(words_, block, target);
    const auto shared = static_cast<std::size_t>(
        std::mismatch(words.begin(), words.end(), words_.begin()).first - words.begin());
    const long saves = cost_ - table_.cost(words, shared);
    return {saves, block.length, block.start, target, std::move(words)};
  }

  std::u32string words_;
  std::u32string_view reference_;
  EditTable table_;
  long cost_ = 0;  // of words_, whose rows the table keeps
  int tried_ = 0;
};

}  // namespace

long shifted_edits(std::u32string_view hypothesis, std::u32string_view reference) {
  // With an empty reference there is nowhere to move words to.
  return reference.empty() ? static_cast<long>(hypothesis.size())
                           : Shifter(hypothesis, reference).edits();
}

}  // namespace heed
