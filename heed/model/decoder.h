// memory → y. What every decoder can do is be taught: `teach` answers for all positions at once. How
// it serves depends on its kind, and a search belongs to a kind. An autoregressive decoder answers
// for one position with carried state (`step`); its teach equals looped step, and a test holds every
// one of them to it. A labelling decoder answers once for all rows of the source.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "heed/attention/attend.h"
#include "heed/model/encoder.h"
#include "heed/model/feed.h"
#include "heed/model/state.h"
#include "heed/nn/embedding.h"
#include "heed/text/special_tokens.h"

namespace heed {

struct Decoded {
  Tensor logits;                             // [N, V]
  std::vector<Attended> reports;             // of each block that looks at the source, as asked for
  std::vector<int32_t> memory_lengths = {};  // of each sentence, as the reports count its slots
};

struct DecoderWidths {
  int64_t memory = 0;  // width of annotations and summary; 0: there is no source
  int64_t blocks = 1;  // of the encoder
  int64_t vocabulary = 0;
};

class Decoder : public Module {
 public:
  virtual void build(const DecoderWidths& widths, Init& init) = 0;
  virtual Remembered remember(const Encoded& encoded, Pass& pass) const = 0;

  struct Lesson {
    const Tensor& ids;  // i32 [N]: start y_1 …
    const Layout& layout;
    Report report = {};
    const Feed* feed = nullptr;  // null: the right words are fed
  };
  /// Logits of every position, given the words that are fed before it.
  virtual Decoded teach(const Remembered& memory, const Lesson& lesson, Pass& pass) const = 0;
  /// Blocks that look at the source: the length of Decoded::reports.
  virtual int64_t reporting_blocks() const = 0;
  /// Rows of the longest source it can look into, and words of the longest target it can give.
  virtual int64_t longest_source() const { return std::numeric_limits<int64_t>::max(); }
  virtual int64_t longest_target() const { return std::numeric_limits<int64_t>::max(); }
  /// Whether embedded words are multiplied by √width; the source's then are too.
  virtual bool scales_embedding() const { return false; }
  /// Whether it cannot do without a source.
  virtual bool needs_source() const { return true; }
  /// Special tokens that it needs in its vocabulary, beside end, unknown and start.
  virtual std::vector<Special> needed_specials() const { return {}; }

  /// Those of the target's vocabulary; whoever builds the decoder sets them before.
  const SpecialTokens& specials() const { return specials_; }
  void set_specials(const SpecialTokens& specials) { specials_ = specials; }

 private:
  SpecialTokens specials_;
};

/// One that says a word after the other, each given those before it.
class Autoregressive : public Decoder {
 public:
  /// One hypothesis for each entry of `memory_of`.
  virtual State begin(std::shared_ptr<const Remembered> memory,
                      std::span<const int32_t> memory_of) const = 0;
  /// Logits of the next position [Q, V] after feeding `ids` (i32 [Q]); the state moves on.
  virtual Decoded step(State& state, const Tensor& ids, const Report& report, Pass& pass) const = 0;
  /// The target embedding, which a model may share with the source's.
  virtual Embedding& embedding() = 0;
};

/// One that labels every row of the source, all at once.
class Labelling : public Decoder {
 public:
  /// Logits [N, V], a row for each row of the source.
  virtual Tensor label(const Remembered& memory, Pass& pass) const = 0;
};

}  // namespace heed
