// Which continuations a search keeps. A strategy sees scores as tensors and adjusts them: `beam` leaves
// them alone, `diverse` subtracts what earlier groups chose, `sample` adds Gumbel noise. One that must
// look at each hypothesis (`constrained`) says so and ranks on the host.
#pragma once

#include "heed/search/frontier.h"
#include "heed/search/host_words.h"
#include "heed/search/sentence_search.h"

namespace heed {

struct SearchOptions;

class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Takes what it needs of the options, or refuses them with Fault::usage.
  virtual void prepare(const SearchOptions& options) = 0;
  /// Beams of a sentence, which do not compete with each other, and how many hypotheses each keeps.
  virtual int64_t beams() const { return 1; }
  virtual int64_t width() const = 0;
  /// How many of a row's likeliest words it needs to see.
  virtual int64_t words_per_row() const {
    return width() + 2;
  }  // one may be the end, one the start

  /// What a step of all beams looks like on the device.
  struct StepScores {
    const Tensor& logits;      // [Q, V]
    const RowWords& words;     // its likeliest
    const Frontier& frontier;  // where the rows belong
    const Tensor& keys;        // i32 [Q, 3]: what each row draws its random numbers by
    const Tensor& forced;  // i32 [Q]: the word a row must say, −1: any; undefined: no row must
  };
  /// Continuations of every beam, those to keep first. Start tokens may be among them and are passed
  /// over. Of the first `width` others, those that end a sentence are finished; the first `width` that
  /// do not, go on.
  virtual Chosen choose(const StepScores& scores);

  /// True where `rank` is asked instead of `choose`, beam by beam.
  virtual bool is_on_host() const { return false; }
  /// The same for one beam of one sentence, best first and without start tokens.
  virtual std::vector<Candidate> rank(const SentenceSearch& sentence, const Beam& beam,
                                      const HostWords& words);

 protected:
  /// The most that must be chosen so that `width` go on: as many may end, and as many be start tokens.
  int64_t most_chosen() const { return 3 * width(); }
};

/// How many hypotheses a beam keeps; Fault::usage where more are to be handed out.
int64_t kept_by(const SearchOptions& options);

}  // namespace heed
