// A strategy chooses which continuations a search keeps. It sees scores as tensors and adjusts
// them: `beam` leaves them alone, `diverse` subtracts a penalty for what earlier groups chose,
// `sample` adds Gumbel noise. One that must know the words of each hypothesis (`constrained`) proposes
// more on the device and narrows it down on the host.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/config/described.h"
#include "heed/search/frontier.h"
#include "heed/search/one_of_each.h"

namespace heed {

struct Beam;
struct Candidate;
struct LiveHypothesis;
struct SentenceSearch;
struct SentenceSettings;

/// `describe` names the settings that no other strategy reads, which are settings of every search and
/// options of the command line.
class Strategy : public Described {
 public:
  void describe(Describer& /*d*/) override {}
  virtual std::unique_ptr<Strategy> copy() const = 0;

  /// Which tokens are special, and which of them no output contains; before all else.
  void set_specials(const SpecialTokens& specials, std::vector<TokenId> suppressed);
  /// Takes what it needs from the settings of sentences, or refuses them with Fault::usage.
  virtual void prepare(const SentenceSettings& settings) = 0;
  /// What two that were prepared have alike if they choose alike.
  virtual std::vector<double> likeness() const = 0;
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
    const Tensor& closed;  // i32 [Q, C]: words that may not follow a row, −1: none, or undefined
    const Tensor& wanted;  // i32 [Q, U]: those of `wanted_words`, −1: none, or undefined
  };
  /// The continuations of every beam, best first. Words that no output contains (such as the start
  /// token) are ignored. Then those of the first `width` that end a sentence are finished, and the
  /// first `width` of all that do not end one continue.
  virtual Chosen choose(const StepScores& scores);

  /// Whether the host looks at every step: at the words of hypotheses before it, and at what was chosen.
  virtual bool follows_words() const { return false; }
  /// Words that may follow a hypothesis however unlikely they are.
  virtual std::vector<TokenId> wanted_words(const SentenceSearch& /*sentence*/,
                                            const Beam& /*beam*/,
                                            const LiveHypothesis& /*live*/) const {
    return {};
  }
  /// Leaves those of a beam's continuations that are kept, best first.
  virtual void narrow(const SentenceSearch& /*sentence*/, const Beam& /*beam*/,
                      std::vector<Candidate>& /*candidates*/) const {}

  /// The beam with which it searches where `beam` is asked for, or by default (`is_given`: false).
  virtual int64_t fitting_beam(int64_t beam, bool /*is_given*/) const { return beam; }
  /// Whether it draws random numbers.
  virtual bool draws() const { return false; }
  /// Whether of outputs with the same text only the best is kept.
  virtual bool wants_distinct_texts() const { return false; }

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

class StrategyList : public OneOfEach<Strategy> {
 public:
  StrategyList();
  /// The strategy of this name; Fault::usage where there is none.
  const Strategy& at(std::string_view name) const;
};

/// How many hypotheses a beam keeps; Fault::usage where more are to be returned.
int64_t kept_by(const SentenceSettings& settings);

}  // namespace heed
