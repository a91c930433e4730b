// A field: one side of an example, from the cell of a table to the rows of a batch.
//
//   cell     the text in a table: a sentence, or the name of a file of numbers
//   item     the bytes that the corpus keeps of it, in memory or on disk
//   rows     what a batch holds of several items: ids or numbers, packed one behind the other
//
// Everything else that happens to data (limits, order, batches, hashes, spilling to disk, fetching
// ahead) is the same for every field and knows nothing of what is inside the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/philox.h"
#include "heed/config/described.h"
#include "heed/data/field_rows.h"
#include "heed/data/source.h"
#include "heed/text/vocabulary.h"

namespace heed {

/// A source as it is read.
struct ReadSource {
  Item item;
  std::vector<std::string> tokens = {};  // of a text: those that are read, without the end
  double start = 0;                      // of a part of a recording: the second where it begins
};

/// What the rows of a field are. A front says which it reads, so that the two need not know each other.
enum class RowKind { none, ids, numbers, pixels };

/// The form of a field's rows: ids below `words`, or `width` numbers each; the other is 0. The rows
/// of pictures are pixels: three numbers as bytes (u8), not yet normalised, which form a grid.
class RowForm {
 public:
  static RowForm ids(int64_t words, const SpecialTokens& specials = SpecialTokens()) {
    return {words, 0, specials, {}};
  }
  static RowForm numbers(int64_t width) { return {0, width, SpecialTokens(), {}}; }
  static RowForm pixels(const GridExtent& grid) { return {0, 3, SpecialTokens(), grid}; }

  int64_t words() const { return words_; }
  int64_t width() const { return width_; }
  /// Of ids.
  const SpecialTokens& specials() const { return specials_; }
  bool has_pixels() const { return grid_.height > 0; }
  /// Of pixels: height and width of every picture.
  const GridExtent& grid() const { return grid_; }

 private:
  RowForm(int64_t words, int64_t width, const SpecialTokens& specials, const GridExtent& grid)
      : words_(words), width_(width), specials_(specials), grid_(grid) {}
  int64_t words_;
  int64_t width_;
  SpecialTokens specials_;
  GridExtent grid_;
};

class Field : public Described {
 public:
  /// Known before a vocabulary is learnt.
  virtual RowKind row_kind() const = 0;
  virtual RowForm form() const = 0;
  /// A short description for people, such as "812 tokens (words)".
  virtual std::string summary() const = 0;
  /// Whether this side is empty: the examples of a language model have no source.
  bool is_none() const { return row_kind() == RowKind::none; }
  /// Whether a cell names a recording.
  virtual bool is_sound() const { return false; }
  /// Whether the rows are moments of a recording, so that `seconds` says when each begins.
  virtual bool has_times() const { return false; }
  /// Fault::usage where the settings cannot be used.
  virtual void check() const {}

  // ---- From a table to an item.

  /// How many columns of a table, from the named one on, make a cell; tabs join them. 0 if there is
  /// nothing on this side.
  virtual int64_t columns() const { return 1; }
  /// The cell with file names that no longer depend on where the table lies.
  virtual std::string located(const std::string& cell, const std::string& /*table*/) const {
    return cell;
  }
  /// The source in parts of at most this many seconds, one after the other; one part if it has no
  /// length in seconds, or is no longer.
  virtual std::vector<Source> parts(const Source& source, double /*most_seconds*/) const {
    return {source};
  }
  /// A text as it is read, such as in small letters if it is all in capitals.
  virtual std::string as_read(std::string_view cell) const { return std::string(cell); }
  /// Whether a cell is one text that is never split into sentences, such as a text to be summarised.
  virtual bool is_one_text() const { return false; }
  /// How many tokens of a cell are read; 0: all.
  virtual int64_t first_tokens() const { return 0; }
  /// Whether its settings say how a source is read, which a target does not have.
  virtual bool is_read_as_source() const { return false; }
  /// Whether `learn` and `meet` do something.
  virtual bool learns() const { return false; }
  /// Called with the cells of training data before one is read: learns what the model keeps, such as the
  /// mean of all rows.
  virtual void learn(std::span<const std::string> /*cells*/) {}
  /// Called with cells that will be read, in training and in serving: finds what they have in common,
  /// such as a speaker. Called from several threads.
  virtual void meet(std::span<const std::string> /*cells*/) const {}
  /// What was learnt, which a resumed run takes from its checkpoint.
  virtual std::string learnt() const { return {}; }
  virtual void set_learnt(const std::string& /*learnt*/) {}
  /// Makes an item from a cell; a Fault::file says what is wrong with it. Called from several
  /// threads.
  virtual Item read(std::string_view cell) const = 0;
  /// Makes an item from a cell or from bytes, with the tokens of a text, which are split once for
  /// both. Bytes are never taken for the name of a file.
  virtual ReadSource reading(const Source& source) const {
    if (source.is_bytes()) {
      fail(Fault::usage, "source: the field {} reads no bytes; give it a cell of a table", kind());
    }
    return {read(source.cell())};
  }
  /// Fault::file where the item cannot be prepared. A corpus calls it once for every item that it
  /// reads, so that damage is found before a run begins. Called from several threads.
  virtual void verify(ItemView /*item*/) const {}
  /// Whether every item that `verify` accepts can be prepared. Where its settings turn that off, a
  /// damaged item may be found in the middle of a run.
  virtual bool verifies() const { return true; }
  /// The part of an item that the corpus's hash is of. Where files lie is not.
  virtual ItemView hashed(ItemView item) const { return item; }
  /// The length that length limits apply to.
  virtual int64_t length(ItemView item) const = 0;

  // ---- From items to a batch.

  /// How many rows an item has in a batch.
  virtual int64_t rows(ItemView item) const { return length(item); }
  /// The item as it enters a batch: decoded and, if there is a key (in training), changed at
  /// random. The key is made of (seed, epoch, example). Called from several threads.
  virtual Item prepared(ItemView item, const std::optional<RandomKey>& /*key*/) const {
    return {item.begin(), item.end()};
  }
  /// Why an item, prepared without a key, is unlike those that a model learned from; empty if it is like
  /// them, or nothing is known of them.
  virtual std::string unlike(ItemView /*prepared*/) const { return {}; }
  /// How many different items `prepared` may make of one in training; 0: too many to count.
  virtual int64_t variants() const { return 1; }
  /// The folder of a run, for what may be kept there so that it is not computed again.
  virtual void keep_in(const std::string& /*folder*/) {}
  /// The rows of prepared items, for this place. Called from several threads.
  virtual HostRows collate(std::span<const Item> items, const Place& place) const = 0;
  /// When each row begins, in seconds; empty if rows have no times.
  virtual std::vector<double> seconds(const ReadSource& /*read*/) const { return {}; }
  /// The label of each row in a drawing.
  virtual std::vector<std::string> labels(const ReadSource& read) const = 0;

  // ---- For fields whose rows are tokens.

  bool has_tokens() const { return row_kind() == RowKind::ids; }
  bool has_vocabulary() const { return vocabulary_ != nullptr; }
  const Vocabulary& vocabulary() const {
    require(has_vocabulary(), "field: saw {} without a vocabulary, needs one; learn it", kind());
    return *vocabulary_;
  }
  /// Those of the vocabulary; without one, those that a learnt vocabulary will have.
  SpecialTokens specials() const {
    return has_vocabulary() ? vocabulary_->specials() : SpecialTokens();
  }
  const std::shared_ptr<const Vocabulary>& shared_vocabulary() const { return vocabulary_; }
  void set_vocabulary(std::shared_ptr<const Vocabulary> vocabulary) {
    vocabulary_ = std::move(vocabulary);
  }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

/// The two fields of a corpus. Once here, a field does not change any more.
struct Fields {
  std::shared_ptr<Field> source;
  std::shared_ptr<Field> target;

  bool shares_vocabulary() const {
    return source->has_vocabulary() && source->shared_vocabulary() == target->shared_vocabulary();
  }
};

}  // namespace heed
