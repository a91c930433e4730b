// A strategy chooses which continuations a search keeps. It sees scores as tensors and adjusts
// them: `beam` leaves them alone, `diverse` subtracts a penalty for what earlier groups chose,
// `sample` adds Gumbel noise. A strategy that must look at each hypothesis (`constrained`) says so
// and ranks on the host.
#pragma once

#include <string>
#include <vector>

#include "heed/search/frontier.h"
#include "heed/search/host_words.h"
#include "heed/search/sentence_search.h"

namespace heed {

struct SentenceSettings;

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Which tokens are special, and which of them no output contains; before all else.
  void set_specials(const SpecialTokens& specials, std::vector<TokenId> suppressed);
  /// The settings of search (search_options.h) that no other strategy reads.
  virtual std::vector<std::string> own_settings() const { return {}; }
  /// Takes what it needs from the settings of sentences, or refuses them with Fault::usage.
  virtual void prepare(const SentenceSettings& settings) = 0;
  /// Whether `prepare` would take the same from these.
  virtual bool is_prepared_for(const SentenceSettings& settings) const = 0;
  /// The number of beams of a sentence, which do not compete with each other, and the number of
  /// hypotheses that each keeps.
  virtual int64_t beams() const { return 1; }
  virtual int64_t width() const = 0;
  /// How many of a row's likeliest words it needs.
  virtual int64_t words_per_row() const { return width() + special_words(); }

  /// The scores of a step of all beams, on the device.
  struct StepScores {
    const Tensor& logits;      // [Q, V]
    const RowWords& words;     // the likeliest words of each row
    const Frontier& frontier;  // which beam each row belongs to
    const Tensor& keys;        // i32 [Q, 3]: the key of each row's random numbers
    const Tensor& forced;  // i32 [Q]: the word a row must take, −1: any; undefined: all are −1
    const Tensor&
        closed;  // i32 [Q, C]: words that may not follow a row, −1: none; may be undefined
  };
  /// The continuations of every beam, best first. Words that no output contains (such as the start
  /// token) are ignored. Then those of the first `width` that end a sentence are finished, and the
  /// first `width` of all that do not end one continue.
  virtual Chosen choose(const StepScores& scores);

  /// Whether of outputs with the same text only the best is kept.
  virtual bool wants_distinct_texts() const { return false; }

  /// Whether the search calls `rank` for each beam instead of `choose`.
  virtual bool is_on_host() const { return false; }
  /// The same for one beam of one sentence, best first and without words that no output contains.
  virtual std::vector<Candidate> rank(const SentenceSearch& sentence, const Beam& beam,
                                      const HostWords& words);

 protected:
  const SpecialTokens& specials() const { return specials_; }
  /// The special tokens that no output contains.
  const std::vector<TokenId>& suppressed() const { return suppressed_; }
  /// How many of a row's likeliest words may be unable to continue: the end and those of `suppressed`.
  int64_t special_words() const { return 1 + static_cast<int64_t>(suppressed_.size()); }
  /// How many must be chosen so that `width` continue, as there may be `width` of each special
  /// word.
  int64_t most_chosen() const { return (1 + special_words()) * width(); }

 private:
  SpecialTokens specials_;
  std::vector<TokenId> suppressed_ = specials_.suppressed();
};

/// How many hypotheses a beam keeps; Fault::usage where more are to be returned.
int64_t kept_by(const SentenceSettings& settings);

}  // namespace heed
