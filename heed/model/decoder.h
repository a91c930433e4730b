// A decoder turns memory into a target. Every decoder can be taught: `teach` computes all positions
// at once. How it serves depends on its kind, and a search belongs to a kind. An autoregressive
// decoder computes one position at a time with carried state (`step`); a test checks for every such
// decoder that teach equals looped step. A labelling decoder gives each row of the source, or the
// whole of it, a label, all at once. A parallel decoder predicts the length of a target and fills all
// of its positions at once (`fill`). A framewise decoder says a word or the blank at every frame of the
// memory, all at once.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/model/encoder.h"
#include "heed/model/feed.h"
#include "heed/model/state.h"
#include "heed/nn/embedding.h"
#include "heed/text/special_tokens.h"

namespace heed {

/// Scores of the possible lengths of each target. Column c of sentence b means first[b] + c words.
struct LengthScores {
  Tensor logits;  // [B, C]
  std::vector<int32_t> first;
};

/// The words of each position if it looked at one slot of the source alone, for every slot.
struct SlotWords {
  Tensor logits;        // [N · S, V]: slot s of position n is row n S + s
  Tensor distribution;  // [N, S]: the probability of the slot
};

/// The rows of the logits where there is one for each frame, not for each word, and the word that says
/// nothing.
struct Framed {
  Layout frames;
  TokenId blank = SpecialTokens::none;
};

/// How decoders write, and so how they are searched (search/searches.h).
enum class WritesBy { words, labels, positions, frames };

struct Decoded {
  Tensor logits;                             // [N, V]
  std::vector<Attended> reports;             // of each block that reads the source, as asked for
  std::vector<int32_t> memory_lengths = {};  // the number of slots of each sentence in the reports
  // i32 [N]: −1 where nothing is predicted: at words that were not hidden, at the end of labels.
  // Autoregressive decoders predict every word and leave it undefined.
  Tensor targets = {};
  std::optional<LengthScores> lengths = {};  // of parallel decoders that predict them
  std::optional<Framed> framed = {};         // of framewise decoders
  std::optional<SlotWords> by_slot = {};     // if a lesson asked for it

  /// The words that a loss compares with the logits: `all` (i32 [N]), or those that are predicted.
  const Tensor& compared(const Tensor& all) const { return targets.defined() ? targets : all; }
};

struct DecoderWidths {
  int64_t memory = 0;  // the width of annotations and summary; 0: there is no source
  int64_t blocks = 1;  // of the encoder
  int64_t vocabulary = 0;
  bool source_ends = true;  // the last row of a source is its end token
};

class Decoder : public Module {
 public:
  virtual WritesBy writes_by() const = 0;
  virtual void build(const DecoderWidths& widths, Init& init) = 0;
  virtual Remembered remember(const Encoded& encoded, Pass& pass) const = 0;

  struct Lesson {
    const Tensor& ids;  // i32 [N]: start y_1 …
    const Layout& layout;
    Report report = {};
    const Feed* feed = nullptr;     // null: the right words are fed
    const Tensor* words = nullptr;  // i32 [N]: y_1 … end; parallel decoders hide some of them
    std::span<const TokenId> host_words =
        {};                // the same on the host, where framewise decoders read
    bool by_slot = false;  // Decoded::by_slot is wanted
  };
  /// The logits of every position, given the words that are fed before it.
  virtual Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const = 0;
  /// Whether it can say what it would say if it looked at one slot alone, because what it says at a
  /// position depends on where it looks there and nowhere else.
  virtual bool says_by_slot() const { return false; }
  /// The number of blocks that attend to the source: the length of Decoded::reports.
  virtual int64_t reporting_blocks() const = 0;
  /// Whether it can say which slots of the source each word comes from.
  virtual bool aligns() const { return reporting_blocks() > 0; }
  /// The number of rows of the longest source it can read, and of words of the longest target it
  /// can write.
  virtual int64_t longest_source() const { return std::numeric_limits<int64_t>::max(); }
  virtual int64_t longest_target() const { return std::numeric_limits<int64_t>::max(); }
  /// Whether embedded words are multiplied by √width; the source's then are too.
  virtual bool scales_embedding() const { return false; }
  /// Whether it needs a source.
  virtual bool needs_source() const { return true; }
  /// Special tokens that it needs in its vocabulary, beside end, unknown and start.
  virtual std::vector<Special> needed_specials() const { return {}; }

  /// The special tokens of the target's vocabulary; they are set before the decoder is built.
  const SpecialTokens& specials() const { return specials_; }
  /// The number of its words; 0: it was not said.
  int64_t vocabulary() const { return vocabulary_; }
  void set_vocabulary(const SpecialTokens& specials, int64_t words = 0) {
    specials_ = specials;
    vocabulary_ = words;
  }

 private:
  SpecialTokens specials_;
  int64_t vocabulary_ = 0;
};

/// A decoder that writes one word after the other, each given those before it.
class Autoregressive : public Decoder {
 public:
  static constexpr WritesBy how = WritesBy::words;
  WritesBy writes_by() const final { return how; }
  /// One hypothesis for each entry of `memory_of`.
  virtual State begin(std::shared_ptr<const Remembered> memory,
                      std::span<const int32_t> memory_of) const = 0;
  /// Feeds `ids` (i32 [Q]), updates the state and returns the logits of the next position [Q, V].
  virtual Decoded step(State& state, const Tensor& ids, const Report& report, Pass& pass) const = 0;
  /// The target embedding, which a model may share with the source's.
  virtual Embedding& embedding() = 0;
};

/// A decoder that gives the source labels, all at once: one to each row, or one to the whole.
class Labelling : public Decoder {
 public:
  static constexpr WritesBy how = WritesBy::labels;
  WritesBy writes_by() const final { return how; }
  /// Whether every row has a label; else the whole source has one.
  virtual bool labels_each_row() const = 0;
  /// The number of labels of a source with this many rows.
  virtual int32_t labels_of(int32_t rows) const = 0;
  /// Logits [L, V], a row for each label of each source, and what was reported.
  virtual Decoded label(const Remembered& memory, const Report& report, Pass& pass) const = 0;

 protected:
  /// y_1 … end with −1 in place of the end, which is not predicted.
  Tensor without_ends(const Tensor& words) const;
};

/// A decoder that says a word or the blank at every frame, all at once. A target is what remains when
/// repeated words are merged and blanks removed (ops/ctc.h), so nothing needs to predict its length.
class Framewise : public Decoder {
 public:
  static constexpr WritesBy how = WritesBy::frames;
  WritesBy writes_by() const final { return how; }
  /// Logits, `frames`, and in the reports where they looked, if they look anywhere. Every slot of the memory
  /// has the same number of frames.
  virtual Decoded at_frames(const Remembered& memory, const Report& report, Pass& pass) const = 0;
  int64_t reporting_blocks() const override { return 0; }
  bool aligns() const override { return true; }
};

/// A decoder that fills all positions of a target at once. Positions without a word have the mask token.
class Parallel : public Decoder {
 public:
  static constexpr WritesBy how = WritesBy::positions;
  WritesBy writes_by() const final { return how; }
  /// Whether `lengths` says how many words a target has. If not, a target ends at the first end token
  /// among `canvas` positions.
  virtual bool predicts_length() const { return true; }
  virtual LengthScores lengths(const Remembered& memory, Pass& pass) const = 0;
  /// The number of positions for the target of a source with this many rows, if it is not predicted.
  virtual int32_t canvas(int32_t rows) const { return rows; }

  /// Targets of which some words may be known.
  struct Filling {
    const Tensor& ids;  // i32 [N]: words, masks, and end tokens
    const Layout& layout;
    std::span<const int32_t> memory_of =
        {};  // the source of each target; empty: target b has source b
    Report report = {};
  };
  /// Logits of every position.
  virtual Decoded fill(const Remembered& memory, const Filling& filling, Pass& pass) const = 0;
};

/// The decoder as one of the kinds above; null if it is of another.
template <class Kind>
const Kind* as(const Decoder& decoder) {
  return decoder.writes_by() == Kind::how ? static_cast<const Kind*>(&decoder) : nullptr;
}

}  // namespace heed
