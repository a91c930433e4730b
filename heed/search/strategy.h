// A strategy chooses which continuations a search keeps. It sees scores as tensors and adjusts
// them: `beam` leaves them alone, `diverse` subtracts a penalty for what earlier groups chose,
// `sample` adds Gumbel noise. A strategy that must look at each hypothesis (`constrained`) says so
// and ranks on the host.
#pragma once

#include "heed/search/frontier.h"
#include "heed/search/host_words.h"
#include "heed/search/sentence_search.h"

namespace heed {

struct SearchOptions;

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Which tokens are special; before all else.
  void set_specials(const SpecialTokens& specials);
  /// Takes what it needs of the options, or refuses them with Fault::usage.
  virtual void prepare(const SearchOptions& options) = 0;
  /// The number of beams of a sentence, which do not compete with each other, and the number of
  /// hypotheses that each keeps.
  virtual int64_t beams() const { return 1; }
  virtual int64_t width() const = 0;
  /// How many of a row's likeliest words it needs to see.
  virtual int64_t words_per_row() const { return width() + special_words(); }

  /// The scores of a step of all beams, on the device.
  struct StepScores {
    const Tensor& logits;      // [Q, V]
    const RowWords& words;     // the likeliest words of each row
    const Frontier& frontier;  // which beam each row belongs to
    const Tensor& keys;        // i32 [Q, 3]: the key of each row's random numbers
    const Tensor& forced;  // i32 [Q]: the word a row must take, −1: any; undefined: all are −1
  };
  /// Continuations of every beam, those to keep first. Words that are never said (start tokens) may be
  /// among them and are passed over. Of the first `width` others, those that end a sentence are finished; the first `width` that
  /// do not, go on.
  virtual Chosen choose(const StepScores& scores);

  /// Whether the search calls `rank` for each beam instead of `choose`.
  virtual bool is_on_host() const { return false; }
  /// The same for one beam of one sentence, best first and without words that are never said.
  virtual std::vector<Candidate> rank(const SentenceSearch& sentence, const Beam& beam,
                                      const HostWords& words);

 protected:
  const SpecialTokens& specials() const { return specials_; }
  /// Special tokens that no sentence says.
  const std::vector<TokenId>& unsaid() const { return unsaid_; }
  /// Of a row's likeliest words, so many may not go on: the end, and those that are never said.
  int64_t special_words() const { return 1 + static_cast<int64_t>(unsaid_.size()); }
  /// The most that must be chosen so that `width` go on: of each special word there may be as many.
  int64_t most_chosen() const { return (1 + special_words()) * width(); }

 private:
  SpecialTokens specials_;
  std::vector<TokenId> unsaid_ = specials_.unsaid();
};

/// How many hypotheses a beam keeps; Fault::usage where more are to be returned.
int64_t kept_by(const SearchOptions& options);

}  // namespace heed
