// A reply is what comes back for a source: what was found and, only if it was asked for, what was
// seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/see/heat_map.h"
#include "heed/tensor/layout.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// Weights [rows, columns], row by row in one piece of memory.
struct WeightMatrix {
  size_t columns = 0;
  std::vector<float> values;

  bool empty() const { return values.empty(); }
  size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const float> row(size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
  std::span<float> row(size_t i) { return std::span(values).subspan(i * columns, columns); }
  float at(size_t row, size_t column) const { return values[row * columns + column]; }
  /// The first row of a matrix says how many columns it has.
  void add(std::span<const float> row);
  /// Keeps the first `count` rows.
  void keep_rows(size_t count) { values.resize(std::min(count * columns, values.size())); }
};

/// What is kept of the weights of a line that is too long for a matrix of them (most_weights): the
/// source word that each target word attended to most.
struct WordLinks {
  std::vector<std::string> source;  // words, the end included
  std::vector<std::string> target;
  std::vector<std::pair<size_t, size_t>> pairs;  // (source, target), those of the ends included
};

/// When a token of a recording was said, in seconds: from start to end; not known if they are
/// equal.
struct HeardTime {
  double start = 0;
  double end = 0;
};

/// The number of weights of a line, target × source, beyond which only links are kept.
inline constexpr size_t most_weights = size_t{1} << 22;

/// What a reply's tokens looked at: its rows are the tokens, its columns the slots of the source.
struct Seen {
  std::vector<std::string> rows;     // tokens, the end included where it ended
  std::vector<std::string> columns;  // tokens as written, the end included; a picture's cells
  bool rows_end = false;             // the last row is the end token
  bool columns_end = false;          // the last column is
  WeightMatrix weights;              // fewer rows than there are tokens where some have none
  GridExtent grid;                   // of a picture's cells; 0 where the source is no picture
  std::vector<double> seconds;       // of a recording: when each column begins, and the last ends
  std::vector<HeardTime> times;      // of a recording: of each row
  bool ends_with_sound = false;      // words end where their sound does
  std::vector<size_t> parts;         // of a source cut in parts: the first row of each
  std::optional<WordLinks> links;    // instead of the weights of a long line
};

/// One of the n best for a source.
struct Reply {
  std::string text;
  std::vector<TokenId> ids;    // the end included where it ended
  bool ended = false;          // the last of `ids` is the end token
  double score = 0;            // normalised by length; of several sentences, their sum
  double log_probability = 0;  // of the words and the end, in the model alone
  std::optional<double>
      weighted_sum;  // of it and those of a language or a ctc model that were asked
  std::vector<double> each_log_probability;  // of every label, if the model labels
  std::optional<Seen> seen;                  // where it was asked for

  /// What was seen; nothing where it was not asked for.
  const Seen& looked() const;
};

/// What comes back for one source.
struct Replies {
  std::vector<Reply> best;  // at least one, the best first; that of an empty source is empty
  std::vector<std::string> warnings;  // about the source

  const Reply& front() const { return best.front(); }
};

/// Target words as rows, source words as columns; without the end tokens unless `with_ends`.
HeatMap heat_map(const Seen& seen, bool with_ends);
/// The same as it is drawn: the source's end always has a column, so that the weights of a row add
/// up, and an end is one narrow cell, ⏎. The target's end has a row if `with_ends`.
HeatMap drawn_map(const Seen& seen, bool with_ends);
/// The slot that every target token attended to most, as (source, target) from 0, sorted. A token
/// whose weights are all 0 has no link. Links to and from the end of sentence are left out unless
/// `with_ends`; Marian writes them.
std::vector<std::pair<size_t, size_t>> links(const Seen& seen, bool with_ends);
/// All pairs whose weight is at least `threshold`, in the same order; there must be weights.
std::vector<std::pair<size_t, size_t>> links_above(const Seen& seen, double threshold,
                                                   bool with_ends);
/// Pharaoh's form of pairs: `0-0 1-1 2-3`.
std::string pharaoh(const std::vector<std::pair<size_t, size_t>>& pairs);
/// The links in Pharaoh's form.
std::string hard_alignment(const Seen& seen, bool with_ends);
/// One group of weights for each target word, with commas between source words and blanks between
/// groups.
std::string soft_alignment(const Seen& seen);

}  // namespace heed
